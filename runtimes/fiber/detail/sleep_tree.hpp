#pragma once
// sleep_tree: deadlines of one worker, earliest first. Owner only; never blocks or allocates (nodes are the
// caller's).
//
// A pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986): insert O(1), remove O(log n) amortised. `previous` is
// the left sibling, or the parent for a first child, so that any node can leave.
#include <cstdint>

namespace fiber::detail {

struct sleep_node {
  std::int64_t deadline_ns = 0;
  sleep_node* child = nullptr;
  sleep_node* sibling = nullptr;
  sleep_node* previous = nullptr;
  bool linked = false;
};

class sleep_tree {
 public:
  bool empty() const noexcept { return root_ == nullptr; }
  const sleep_node& earliest() const noexcept { return *root_; }

  void insert(sleep_node& node, std::int64_t deadline_ns) noexcept {
    node = {deadline_ns, nullptr, nullptr, nullptr, true};
    root_ = meld(root_, &node);
  }

  sleep_node& pop() noexcept {
    sleep_node& first = *root_;
    root_ = meld_siblings(first.child);
    first.linked = false;
    return first;
  }

  void remove(sleep_node& node) noexcept {
    if (&node == root_) {
      pop();
      return;
    }
    detach(node);
    root_ = meld(root_, meld_siblings(node.child));
    node.linked = false;
  }

 private:
  static sleep_node* meld(sleep_node* a, sleep_node* b) noexcept {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (b->deadline_ns < a->deadline_ns) {
      sleep_node* other = a;
      a = b;
      b = other;
    }
    b->previous = a;
    b->sibling = a->child;
    if (a->child != nullptr) a->child->previous = b;
    a->child = b;
    a->sibling = a->previous = nullptr;
    return a;
  }

  // Both passes are loops: a thousand sleepers may be siblings, and fibers have small stacks.
  static sleep_node* meld_siblings(sleep_node* first) noexcept {
    sleep_node* pairs = nullptr;
    while (first != nullptr) {
      sleep_node* a = first;
      sleep_node* b = a->sibling;
      first = b != nullptr ? b->sibling : nullptr;
      a->sibling = a->previous = nullptr;
      if (b != nullptr) b->sibling = b->previous = nullptr;
      sleep_node* pair = meld(a, b);
      pair->sibling = pairs;
      pairs = pair;
    }
    sleep_node* whole = nullptr;
    while (pairs != nullptr) {
      sleep_node* pair = pairs;
      pairs = pair->sibling;
      pair->sibling = nullptr;
      whole = meld(whole, pair);
    }
    return whole;
  }

  static void detach(sleep_node& node) noexcept {
    if (node.previous->child == &node) {
      node.previous->child = node.sibling;
    } else {
      node.previous->sibling = node.sibling;
    }
    if (node.sibling != nullptr) node.sibling->previous = node.previous;
    node.sibling = node.previous = nullptr;
  }

  sleep_node* root_ = nullptr;
};

}  // namespace fiber::detail
