#pragma once
// spinlock: for a handful of instructions at a time. Any thread or fiber; never held over a suspension or a system
// call. The holder may be preempted by the kernel, so waiting gives the processor away after a while.
#include <sched.h>

#include <atomic>

namespace fiber::detail {

inline void pause_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

class spinlock {
 public:
  void lock() noexcept {
    // ORDER(fiber.spinlock) acquire: what the last holder wrote is seen by this one.
    //   pairs: the release in unlock().  without: a waiter list could be seen half linked.
    while (held_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() noexcept {
    // ORDER(fiber.spinlock) release: pairs with the acquire in lock(). This is also the last touch of the lock, so
    //   the next holder may destroy it.
    held_.store(false, std::memory_order_release);
  }

 private:
  void wait() noexcept {
    constexpr int spins_before_yield = 64;
    // relaxed: hint; lock() decides
    for (int spins = 0; held_.load(std::memory_order_relaxed); ++spins) {
      if (spins < spins_before_yield) {
        pause_cpu();
      } else {
        ::sched_yield();
      }
    }
  }

  std::atomic<bool> held_ = false;
};

}  // namespace fiber::detail
