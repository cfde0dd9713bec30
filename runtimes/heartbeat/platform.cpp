#include "platform.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace heartbeat::detail {

static_assert(sizeof(std::atomic<std::int32_t>) == 4, "the kernel waits on a plain 32-bit word");

void os_platform::wait(word<std::int32_t>& word, std::int32_t expected,
                       std::int64_t timeout_ns) noexcept {
  const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  // Errors need no handling: EAGAIN, EINTR and ETIMEDOUT all mean "look again", which every caller
  // does.
  syscall(SYS_futex, &word.value_, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? nullptr : &limit,
          nullptr, 0);
}

void os_platform::wake(word<std::int32_t>& word) noexcept {
  syscall(SYS_futex, &word.value_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::int64_t os_platform::now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace heartbeat::detail
