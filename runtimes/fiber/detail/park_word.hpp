#pragma once
// park_word: the one place where suspending races with being woken. Everything that blocks is built on it.
//
// The contract of suspend-and-recheck:
//   1. The sleeper makes a park_word and shows it to whoever may wake it (a waiter list, a deadline, an operation).
//   2. The sleeper leaves its stack, and only then publish() re-checks: either it has been fired meanwhile, and it
//      goes on at once, or it is parked.
//   3. Each fire() counts one and ends a park; exactly one caller, the one that cleared `parked`, must make the
//      sleeper runnable. expire() does the same for a deadline, and fails if a fire came first.
//   4. fire() is the last touch of the word: from then on the sleeper may return and its frame is gone.
//   5. The sleeper returns only when every fire it was promised has arrived.
//
//  threads    fire: any. publish, fired: the sleeper's side. expire: the worker that keeps the deadline.
//  states     bit 0: parked; the other bits: number of fires. Wait-free but for the retry of a compare-exchange.
#include <atomic>
#include <cstdint>

namespace fiber::detail {

template <template <class> class Atomic = std::atomic>
class basic_park_word {
 public:
  // True: parked. False: `fires` have arrived already.
  [[nodiscard]] bool publish(std::uint32_t fires) noexcept {
    // ORDER(fiber.park) acquire: pairs with the release in fire(); on "already fired" the sleeper goes on with what
    //   the firer wrote.
    std::uint32_t old = word_.load(std::memory_order_acquire);
    while (old / one_fire < fires) {
      // ORDER(fiber.park) release: the sleeper's context, saved before, is seen by who makes it runnable.
      //   pairs: the acquire in fire() and expire().  without: it would be resumed at a stale place.
      if (word_.compare_exchange_weak(old, old | parked, std::memory_order_release,
                                      std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  // True: the sleeper was parked, and the caller must make it runnable.
  [[nodiscard]] bool fire() noexcept {
    std::uint32_t old = word_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
    // ORDER(fiber.park) acq_rel: release hands the firer's writes to fired() and publish(); acquire takes the
    //   sleeper's context from publish().
    while (!word_.compare_exchange_weak(old, (old + one_fire) & ~parked, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
    }
    return (old & parked) != 0;
  }

  // True: the sleeper was still parked, and the caller must make it runnable.
  [[nodiscard]] bool expire() noexcept {
    std::uint32_t old = word_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
    while ((old & parked) != 0) {
      // ORDER(fiber.park) acquire: pairs with the release in publish().
      if (word_.compare_exchange_weak(old, old & ~parked, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool fired(std::uint32_t fires) const noexcept {
    // ORDER(fiber.park) acquire: pairs with the release in fire(); the sleeper sees what the firer wrote.
    return word_.load(std::memory_order_acquire) / one_fire >= fires;
  }

  // For sleeping threads: what a futex waits on.
  Atomic<std::uint32_t>& raw() noexcept { return word_; }
  static bool is_parked(std::uint32_t raw) noexcept { return (raw & parked) != 0; }

 private:
  static constexpr std::uint32_t parked = 1;
  static constexpr std::uint32_t one_fire = 2;

  Atomic<std::uint32_t> word_{0};
};

}  // namespace fiber::detail
