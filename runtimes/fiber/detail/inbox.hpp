#pragma once
// inbox: how anybody hands fibers and messages to a worker, and how that worker goes to sleep without missing one.
//
//  threads    post, wake, steal: any. take, try_sleep: the owner. Nobody blocks; post is lock-free, the rest
//  wait-free.
//  states     one word: empty | asleep | pointer to the newest message (a Treiber stack that is only emptied whole,
//             so there is no ABA).
//  inbox-one-bell   exactly one caller is told to ring the doorbell per sleep: the one whose operation changed
//             `asleep` into something else.
//  why one word     with a queue and a separate `sleeping` flag, "publish, then look at the flag" against "set the
//             flag, then look at the queue" needs a full fence on both sides, and forgetting one loses wake-ups
//             (silk#88). Here the sleeper's compare-exchange fails if there is a message, and a poster's sees
//             `asleep`.
#include <atomic>
#include <cstdint>

#include "runtimes/fiber/detail/message.hpp"

namespace fiber::detail {

template <template <class> class Atomic = std::atomic>
class basic_inbox {
 public:
  // Returns true if the owner was asleep: the caller must ring its doorbell.
  [[nodiscard]] bool post(message& item) noexcept {
    // relaxed: only compared and linked; the exchange below orders.
    std::uintptr_t old = word_.load(std::memory_order_relaxed);
    do {
      link(item, old == asleep ? empty : old);
      // ORDER(fiber.inbox) release: the item and all it leads to are seen by who takes it.
      //   pairs: the acquire in take_all().  without: a worker runs a fiber with a stale context.
    } while (!word_.compare_exchange_weak(old, reinterpret_cast<std::uintptr_t>(&item),
                                          std::memory_order_release, std::memory_order_relaxed));
    return old == asleep;
  }

  // Wakes a sleeping owner without a message. Returns true if it slept: the caller must ring.
  [[nodiscard]] bool wake() noexcept {
    std::uintptr_t expected = asleep;
    // ORDER(fiber.inbox) release: what the waker did before (a stop flag, work in a steal slot) is seen by the owner.
    //   pairs: the acquire in take_all().  without: the woken worker finds nothing and sleeps again.
    return word_.compare_exchange_strong(expected, empty, std::memory_order_release,
                                         std::memory_order_relaxed);
  }

  // Owner. True: asleep from now on, until take_all(). False: there is a message.
  [[nodiscard]] bool try_sleep() noexcept {
    std::uintptr_t expected = empty;
    // ORDER(fiber.inbox) acquire on failure: pairs with post(); the owner goes on to take. relaxed on success: the
    //   sleeper publishes nothing.
    return word_.compare_exchange_strong(expected, asleep, std::memory_order_relaxed,
                                         std::memory_order_acquire);
  }

  // Everything posted so far, oldest first, as a chain; null if nothing. Ends a sleep. Any thread may take (a thief
  // of a worker that does not sleep must not end its sleep: it uses steal_all).
  message* take_all() noexcept {
    // ORDER(fiber.inbox) acquire: pairs with the releases in post() and wake().
    return oldest_first(word_.exchange(empty, std::memory_order_acquire));
  }

  // As take_all, but leaves a sleeper asleep.
  message* steal_all() noexcept {
    std::uintptr_t old =
        word_.load(std::memory_order_relaxed);  // relaxed: the exchange below decides
    if (old == empty || old == asleep) return nullptr;
    // ORDER(fiber.inbox) acquire: pairs with the release in post(). A failure means that the content changed: the
    //   thief tries again another time.
    if (!word_.compare_exchange_strong(old, empty, std::memory_order_acquire,
                                       std::memory_order_relaxed))
      return nullptr;
    return oldest_first(old);
  }

  // relaxed: hints only.
  bool has_messages() const noexcept { return word_.load(std::memory_order_relaxed) > asleep; }
  bool is_asleep() const noexcept { return word_.load(std::memory_order_relaxed) == asleep; }
  std::uintptr_t hint() const noexcept { return word_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uintptr_t empty = 0;
  static constexpr std::uintptr_t asleep = 1;

  static void link(message& item, std::uintptr_t next) noexcept {
    item.next = reinterpret_cast<message*>(next);
  }

  static message* oldest_first(std::uintptr_t word) noexcept {
    message* chain = nullptr;
    auto* newest = word == asleep ? nullptr : reinterpret_cast<message*>(word);
    while (newest != nullptr) {
      message* older = newest->next;
      newest->next = chain;
      chain = newest;
      newest = older;
    }
    return chain;
  }

  Atomic<std::uintptr_t> word_{empty};
};

}  // namespace fiber::detail
