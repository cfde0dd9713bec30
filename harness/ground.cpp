#include "harness/ground.hpp"

#include "harness/clock.hpp"
#include "harness/cpu_budget.hpp"
#include "harness/machine.hpp"
#include "harness/system_files.hpp"

namespace bb {
namespace {

std::uint64_t available_memory() {
  const auto text = system_root().read("/proc/meminfo");
  if (!text) return 0;
  const auto field = find_field(*text, "MemAvailable");
  if (!field) return 0;
  const auto words = split_words(*field);
  return words.empty() ? 0
                       : static_cast<std::uint64_t>(to_number(words.front()).value_or(0)) * 1024;
}

}  // namespace

ground find_ground(const std::string& source) {
  ground g;
  g.source = source;
  if (!source.empty()) {
    g.machine = load_topology(source);
    g.default_threads = static_cast<unsigned>(g.machine.pus.size());
    return g;
  }
  g.machine = load_topology();
  g.default_threads = read_cpu_budget().threads();
  g.available_bytes = available_memory();
  return g;
}

json machine_of(const ground& g) {
  json j = machine_record(g.machine, read_cpu_budget());
  j["clock"] = measure_clock();
  return j;
}

}  // namespace bb
