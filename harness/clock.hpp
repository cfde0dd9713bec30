#pragma once
// The clock that everything is timed with, and what it can tell apart on this machine.

#include <time.h>

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace bb {

/// CLOCK_MONOTONIC in nanoseconds. Not CLOCK_MONOTONIC_RAW, which some kernels serve by a system
/// call.
inline std::int64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// CPU time of all threads of this process so far, ended ones included (CLOCK_PROCESS_CPUTIME_ID).
/// A system call.
inline std::int64_t process_cpu_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// What a measurement depends on; recorded in every result as `machine.clock`.
struct clock_record {
  std::optional<std::string>
      source;          // the kernel's clock source, such as "tsc"; nothing if it does not say
  double step_ns = 0;  // smallest difference seen between two unequal reads
  double cost_ns = 0;  // of one read: median over many runs of reads
  bool operator==(const clock_record&) const = default;
};

/// Measures the clock for some milliseconds. Any thread. Steps smaller than the cost of a read
/// cannot be seen, so `step_ns` is an upper bound.
clock_record measure_clock();

/// The shortest batch worth timing: 1 ms, and 1000 times the larger of step and cost, so that the
/// clock's own error stays below 0.1 %.
std::uint64_t min_batch_ns(const clock_record& clock) noexcept;

void to_json(nlohmann::ordered_json& j, const clock_record& clock);
void from_json(const nlohmann::ordered_json& j, clock_record& clock);

}  // namespace bb
