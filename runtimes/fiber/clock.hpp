#pragma once
#include <time.h>

#include <cstdint>
#include <limits>

namespace fiber {

// Points of CLOCK_MONOTONIC in nanoseconds: the unit of all deadlines here.
inline constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

inline std::int64_t now_ns() noexcept {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

// `duration_ns` from now; saturates.
inline std::int64_t deadline_in(std::int64_t duration_ns) noexcept {
  const std::int64_t now = now_ns();
  return duration_ns > no_deadline - now ? no_deadline : now + duration_ns;
}

}  // namespace fiber
