#include "runtimes/fiber/detail/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <limits>

namespace fiber::detail {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns) noexcept {
  const timespec limit{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
  // FUTEX_WAIT_BITSET takes an absolute time, so an early return needs no arithmetic.
  ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected,
            deadline_ns == no_deadline ? nullptr : &limit, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr,
            0);
}

}  // namespace fiber::detail
