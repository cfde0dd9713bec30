#pragma once
// steal_slot: the runnable fibers that a worker has set aside for others.
//
//  threads    put: the owner. take: any, the owner included. All wait-free.
//  states     empty | a chain of fibers. Only the owner fills it, and only when it is empty; it is taken whole. So
//             the same word never changes from one chain to another behind a thief's back: no ABA.
//  on demand  the owner fills it only while somebody is idle (worker::share), so the ready ring stays private.
#include <atomic>
#include <cstdint>

namespace fiber::detail {

template <class Item, template <class> class Atomic = std::atomic>
class steal_slot {
 public:
  // Owner. Returns false if the last chain is still there.
  [[nodiscard]] bool put(Item* chain) noexcept {
    if (chain_.load(std::memory_order_relaxed) != nullptr)
      return false;  // relaxed: only the owner makes it non-null
    // ORDER(fiber.steal) release: the fibers' blocks and stacks are seen by the taker.
    //   pairs: the acquire in take().  without: a thief runs a fiber with a stale context.
    chain_.store(chain, std::memory_order_release);
    return true;
  }

  // Any thread. Null if there is nothing.
  Item* take() noexcept {
    if (chain_.load(std::memory_order_relaxed) == nullptr)
      return nullptr;  // relaxed: hint, spares the exchange
    // ORDER(fiber.steal) acquire: pairs with the release in put().
    return chain_.exchange(nullptr, std::memory_order_acquire);
  }

  // relaxed: hint
  bool full() const noexcept { return chain_.load(std::memory_order_relaxed) != nullptr; }

 private:
  Atomic<Item*> chain_{nullptr};
};

}  // namespace fiber::detail
