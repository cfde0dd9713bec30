#include "harness/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

namespace bb {
namespace {

constexpr std::size_t most_padding = 4096;  // a page: enough to reach every stack offset

// std::shuffle's order differs between standard libraries; a seed must mean the same everywhere.
template <class T>
void shuffle(std::vector<T>& v, std::mt19937_64& random) {
  for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[random() % i]);
}

}  // namespace

std::vector<round_part> order_round(std::span<const planned_cell> cells, std::uint64_t seed,
                                    unsigned round) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15 + round);
  std::vector<round_part> parts;
  std::map<std::string, std::size_t> part_of;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string key = fmt::format("{} {}", cells[i].workload->id, cells[i].input.label());
    const auto [it, fresh] = part_of.try_emplace(key, parts.size());
    if (fresh) parts.emplace_back();
    parts[it->second].cells.push_back(i);
  }
  shuffle(parts, random);
  for (auto& part : parts) {
    shuffle(part.cells, random);
    part.padding = random() % most_padding;
  }
  return parts;
}

std::uint64_t expected_trial_ns(const measuring& how) {
  constexpr std::uint64_t process_ns = 20'000'000;  // fork, start, first run of a small cell
  return how.warmup_ns + how.time_ns + how.cooldown_ns + process_ns;
}

json to_json(const pin_plan& p) {
  return {{"policy", p.policy},   {"threads", p.threads},   {"planned", p.pus},
          {"allowed", p.allowed}, {"taskset", p.taskset()}, {"oversubscribed", p.oversubscribed}};
}

}  // namespace bb
