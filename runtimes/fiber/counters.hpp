#pragma once
// What a scheduler has done so far. Cheap: each worker counts for itself.
#include <atomic>
#include <cstdint>

#include "runtimes/fiber/detail/hint.hpp"

namespace fiber {

// Totals over all workers, recent rather than exact while fibers run.
struct counters {
  std::uint64_t started = 0;  // fibers
  std::uint64_t finished = 0;
  std::uint64_t yields = 0;  // counted at each service, so up to a batch late
  std::uint64_t suspensions = 0;
  std::uint64_t steals = 0;   // fibers that moved to another worker
  std::uint64_t parks = 0;    // times a worker went to sleep
  std::uint64_t wakes = 0;    // doorbells rung
  std::uint64_t enters = 0;   // io_uring_enter calls
  std::uint64_t submits = 0;  // operations handed to a ring
  std::uint64_t completions = 0;
  std::uint64_t services = 0;
};

namespace detail {

struct worker_counters {
  using counter = hint<std::uint64_t>;
  counter started, yields, returns, steals, parks, wakes, submits, completions, services;
  std::atomic<std::uint64_t> finished = 0;  // orders the end of the scheduler; see core::quiescent
};

}  // namespace detail
}  // namespace fiber
