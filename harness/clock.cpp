#include "harness/clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/stats.hpp"

namespace bb {
namespace {

constexpr int reads = 200;  // in one run; a few microseconds
constexpr int runs = 101;   // odd, so that the median is a run that happened

// One run costs as long as `reads` reads; the median over runs ignores those that an interrupt hit.
double read_cost_ns() {
  std::array<double, runs> costs{};
  for (auto& cost : costs) {
    const auto begin = now_ns();
    std::int64_t last = begin;
    for (int i = 0; i < reads; ++i) last = now_ns();
    cost = static_cast<double>(last - begin) / reads;
  }
  return median(costs).value_or(0);
}

// Reads until the clock moves, `runs` times over. A clock that steps coarsely needs many reads for
// one step, one that stands still is given up after a second's worth.
double smallest_step_ns() {
  auto smallest = std::numeric_limits<std::int64_t>::max();
  for (int run = 0; run < runs; ++run) {
    const auto begin = now_ns();
    auto next = begin;
    for (int i = 0; next <= begin && i < 10'000'000; ++i) next = now_ns();
    if (next > begin) smallest = std::min(smallest, next - begin);
  }
  return smallest == std::numeric_limits<std::int64_t>::max() ? 0 : static_cast<double>(smallest);
}

std::optional<std::string> kernel_source() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name ? std::optional(name) : std::nullopt;
}

}  // namespace

clock_record measure_clock() { return {kernel_source(), smallest_step_ns(), read_cost_ns()}; }

std::uint64_t min_batch_ns(const clock_record& clock) noexcept {
  const auto error = std::max(clock.step_ns, clock.cost_ns);
  if (!(error > 0)) return 1'000'000;
  return static_cast<std::uint64_t>(std::clamp(std::ceil(1000 * error), 1e6, 1e18));
}

void to_json(nlohmann::ordered_json& j, const clock_record& clock) {
  j = {{"source", nullptr}, {"step_ns", clock.step_ns}, {"cost_ns", clock.cost_ns}};
  if (clock.source) j["source"] = *clock.source;
}

void from_json(const nlohmann::ordered_json& j, clock_record& clock) {
  clock = {std::nullopt, j.at("step_ns").get<double>(), j.at("cost_ns").get<double>()};
  if (!j.at("source").is_null()) clock.source = j.at("source").get<std::string>();
}

}  // namespace bb
