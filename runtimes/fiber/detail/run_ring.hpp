#pragma once
// run_ring: the runnable fibers of one worker in the order in which they will run, the running one included.
//
//  threads    owner only; nobody else reads it, so that a yield is two plain stores. Others get work through the
//             steal slot.
//  ring-front while a fiber runs, it is the front: last->next. A yield moves `last` one on; that is all.
#include <cstdint>

#include "runtimes/fiber/detail/control_block.hpp"

namespace fiber::detail {

class run_ring {
 public:
  bool empty() const noexcept { return last_ == nullptr; }
  // Including the running fiber.
  std::uint32_t size() const noexcept { return size_; }
  control_block* front() const noexcept { return next_of(last_); }
  static control_block* next_of(control_block* block) noexcept {
    return static_cast<control_block*>(block->next);
  }

  void push_back(control_block* block) noexcept {
    link_after_last(block);
    last_ = block;
  }
  void push_front(control_block* block) noexcept { link_after_last(block); }

  control_block* pop_front() noexcept {
    control_block* first = front();
    if (first == last_) {
      last_ = nullptr;
    } else {
      last_->next = first->next;
    }
    --size_;
    return first;
  }

  // The front, which the caller knows, becomes the last.
  void rotate_past(control_block* front) noexcept { last_ = front; }

  // Takes up to `most` blocks that satisfy `movable` from behind the front, as a chain; null if none.
  template <class Movable>
  control_block* take_behind_front(std::uint32_t most, Movable movable) noexcept {
    control_block* chain = nullptr;
    message** tail = nullptr;
    control_block* before = front();
    for (std::uint32_t looked = size_ - 1; looked > 0 && most > 0; --looked) {
      control_block* candidate = next_of(before);
      if (!movable(*candidate)) {
        before = candidate;
        continue;
      }
      unlink_after(before, candidate);
      if (tail == nullptr) {
        chain = candidate;
      } else {
        *tail = candidate;
      }
      tail = &candidate->next;
      --most;
    }
    if (tail != nullptr) *tail = nullptr;
    return chain;
  }

 private:
  void link_after_last(control_block* block) noexcept {
    if (last_ == nullptr) {
      block->next = block;
      last_ = block;
    } else {
      block->next = last_->next;
      last_->next = block;
    }
    ++size_;
  }
  void unlink_after(control_block* before, control_block* block) noexcept {
    before->next = block->next;
    if (block == last_) last_ = before;
    --size_;
  }

  control_block* last_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace fiber::detail
