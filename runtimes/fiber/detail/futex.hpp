#pragma once
// futex: sleep until a 32-bit word changes. std::atomic::wait has no deadline.
#include <atomic>
#include <cstdint>

#include "runtimes/fiber/clock.hpp"

namespace fiber::detail {

// Sleeps while `word` == `expected`, until woken or `deadline_ns` (CLOCK_MONOTONIC). May return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns = no_deadline) noexcept;
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace fiber::detail
