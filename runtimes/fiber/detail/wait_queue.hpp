#pragma once
// wait_queue: sleepers in order of arrival, under the spin lock of the primitive that they wait for.
//
// Pattern of every primitive built on it: take the lock, look; if it cannot go on, sleep_in_queue(). Who makes it
// possible pops a node under the lock and fires it after releasing the lock. A popped node has been granted what it
// waited for, even if its deadline passes meanwhile, so nothing granted is lost.
#include <cstdint>

#include "runtimes/fiber/detail/parker.hpp"
#include "runtimes/fiber/detail/spinlock.hpp"

namespace fiber::detail {

// On the sleeper's stack.
struct queue_node {
  queue_node* next = nullptr;
  queue_node* previous = nullptr;
  bool linked = false;
  bool exclusive = true;  // of shared_mutex
  parker who;
};

class wait_queue {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  queue_node* front() const noexcept { return first_; }

  void push_back(queue_node& node) noexcept {
    node.next = nullptr;
    node.previous = last_;
    node.linked = true;
    (last_ != nullptr ? last_->next : first_) = &node;
    last_ = &node;
  }

  queue_node* pop_front() noexcept {
    queue_node* node = first_;
    if (node != nullptr) remove(*node);
    return node;
  }

  void remove(queue_node& node) noexcept {
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
    node.linked = false;
  }

  // Takes all, as a chain by `next`.
  queue_node* take_all() noexcept {
    queue_node* chain = first_;
    for (queue_node* node = chain; node != nullptr; node = node->next) node->linked = false;
    first_ = last_ = nullptr;
    return chain;
  }

 private:
  queue_node* first_ = nullptr;
  queue_node* last_ = nullptr;
};

// Called with `lock` held, returns without. True: granted. False: the deadline passed first.
bool sleep_in_queue(wait_queue& queue, spinlock& lock, queue_node& node,
                    std::int64_t deadline_ns) noexcept;
// The same for a node that is in the queue already; called without the lock.
bool sleep_queued(wait_queue& queue, spinlock& lock, queue_node& node,
                  std::int64_t deadline_ns) noexcept;

void fire_chain(queue_node* chain) noexcept;

}  // namespace fiber::detail
