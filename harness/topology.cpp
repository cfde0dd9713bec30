#include "harness/topology.hpp"

#include <algorithm>
#include <set>

namespace bb {
namespace {

unsigned count_distinct(const topology& machine, unsigned processor::*field) {
  std::set<unsigned> distinct;
  for (const auto& pu : machine.pus) distinct.insert(pu.*field);
  return static_cast<unsigned>(distinct.size());
}

}  // namespace

unsigned topology::cores() const noexcept { return count_distinct(*this, &processor::core); }
unsigned topology::packages() const noexcept { return count_distinct(*this, &processor::package); }
unsigned topology::numa_nodes() const noexcept {
  return count_distinct(*this, &processor::numa_node);
}
unsigned topology::l3_domains() const noexcept { return count_distinct(*this, &processor::l3); }

bool topology::hybrid() const noexcept {
  return std::ranges::any_of(pus,
                             [this](const auto& pu) { return pu.speed_rank != top_speed_rank(); });
}

int topology::top_speed_rank() const noexcept {
  int top = -1;
  for (const auto& pu : pus) top = std::max(top, pu.speed_rank);
  return top;
}

const processor* topology::find(unsigned os_index) const noexcept {
  const auto found = std::ranges::find(pus, os_index, &processor::os_index);
  return found == pus.end() ? nullptr : &*found;
}

std::vector<unsigned> topology::os_indexes() const {
  std::vector<unsigned> indexes;
  for (const auto& pu : pus) indexes.push_back(pu.os_index);
  return indexes;
}

}  // namespace bb
