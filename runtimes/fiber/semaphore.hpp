#pragma once
#include <cstdint>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/wait_queue.hpp"

namespace fiber {

// Counted permits, granted in order of arrival.
class semaphore {
 public:
  explicit semaphore(std::uint64_t permits) noexcept : permits_(permits) {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  void acquire() noexcept { acquire_until(no_deadline); }
  // False if the deadline passed first; then no permit was taken.
  bool acquire_until(std::int64_t deadline_ns) noexcept;
  bool try_acquire() noexcept;
  void release(std::uint64_t permits = 1) noexcept;

 private:
  detail::spinlock guard_;
  std::uint64_t permits_;
  detail::wait_queue waiters_;
};

}  // namespace fiber
