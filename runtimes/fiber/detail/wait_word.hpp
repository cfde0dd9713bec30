#pragma once
// wait_word: "has it happened, and who waits for it" in one word. Base of futures, events, tasks and operations.
//
//  threads    any, all operations.
//  states     done | a stack of wait_nodes, maybe locked. `locked` is held for the removal of a node only.
//  wait-last  set() is one compare-exchange, the last touch of the word: who sees `done` may destroy it. The nodes
//             that set() took stay valid until each has been fired (park_word.hpp, rule 5).
//  progress   add and set are lock-free but for a removal in progress, which is a walk over the list.
#include <atomic>
#include <cstdint>

#include "runtimes/fiber/detail/spinlock.hpp"

namespace fiber::detail {

class parker;

// On the sleeper's stack, one per thing waited for.
struct wait_node {
  wait_node* next = nullptr;
  parker* who = nullptr;
};

template <template <class> class Atomic = std::atomic>
class basic_wait_word {
 public:
  bool is_set() const noexcept {
    // ORDER(fiber.wait) acquire: what was written before set() is seen.
    //   pairs: the release in set().  without: a future's value could be read before it is there.
    return word_.load(std::memory_order_acquire) == done;
  }

  // False: it is set, and the node was not added.
  [[nodiscard]] bool add(wait_node& node) noexcept {
    for (;;) {
      std::uintptr_t old = unlocked();
      if (old == done) return false;
      node.next = reinterpret_cast<wait_node*>(old);
      // ORDER(fiber.wait) release: the node is seen whole by set().  pairs: the acq_rel in set().
      if (word_.compare_exchange_weak(old, reinterpret_cast<std::uintptr_t>(&node),
                                      std::memory_order_release, std::memory_order_relaxed)) {
        return true;
      }
    }
  }

  // False: set() has taken the node, and will fire it or has fired it.
  [[nodiscard]] bool remove(wait_node& node) noexcept {
    for (;;) {
      std::uintptr_t old = unlocked();
      if (old == done || old == 0) return false;
      // ORDER(fiber.wait) acquire: the nodes added by others are seen whole.  pairs: the release in add().
      if (word_.compare_exchange_weak(old, old | locked, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return remove_locked(reinterpret_cast<wait_node*>(old), node);
      }
    }
  }

  // Returns the nodes to fire, oldest first; null if there are none or it was set already.
  wait_node* set() noexcept {
    for (;;) {
      std::uintptr_t old = unlocked();
      if (old == done) return nullptr;
      // ORDER(fiber.wait) acq_rel: release hands what the setter wrote to is_set(); acquire takes the nodes from
      //   add().
      if (word_.compare_exchange_weak(old, done, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
        return oldest_first(reinterpret_cast<wait_node*>(old));
      }
    }
  }

  // Back to "not happened". False if it was not set.
  bool reset() noexcept {
    if (!is_set()) return false;  // spares the exchange
    std::uintptr_t expected = done;
    // ORDER(fiber.wait) acquire: pairs with the release in set(); what the setter wrote is seen before it is reused.
    return word_.compare_exchange_strong(expected, 0, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

 private:
  static constexpr std::uintptr_t locked = 1;
  static constexpr std::uintptr_t done = 2;

  std::uintptr_t unlocked() const noexcept {
    for (;;) {
      // ORDER(fiber.wait) acquire: pairs with the release in set(); "done" may be acted upon.
      const std::uintptr_t old = word_.load(std::memory_order_acquire);
      if ((old & locked) == 0) return old;
      pause_cpu();
    }
  }

  bool remove_locked(wait_node* first, wait_node& node) noexcept {
    wait_node** link = &first;
    while (*link != nullptr && *link != &node) link = &(*link)->next;
    const bool found = *link != nullptr;
    if (found) *link = node.next;
    // ORDER(fiber.wait) release: the changed links are seen by the next who walks them.  pairs: the acquires above.
    word_.store(reinterpret_cast<std::uintptr_t>(first), std::memory_order_release);
    return found;
  }

  static wait_node* oldest_first(wait_node* newest) noexcept {
    wait_node* chain = nullptr;
    while (newest != nullptr) {
      wait_node* older = newest->next;
      newest->next = chain;
      chain = newest;
      newest = older;
    }
    return chain;
  }

  Atomic<std::uintptr_t> word_{0};
};

}  // namespace fiber::detail
