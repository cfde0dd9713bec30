#pragma once
// execution: the part of a worker that a yield touches, and the switches between its fibers.
//
//  threads    owner only.
//  contexts   one per fiber, and `loop`, the worker's own stack. A yield goes straight from fiber to fiber. A
//             suspension goes by way of the loop, which first runs the `after` hook: only then is the fiber off its
//             stack and may be shown to other threads.
//  budget     yields left until the next service (messages, I/O, deadlines); worker::service() sets it so that a
//             service comes at least about every `service_ns`.
#include <cstdint>

#include "runtimes/fiber/detail/control_block.hpp"
#include "runtimes/fiber/detail/exception_state.hpp"
#include "runtimes/fiber/detail/run_ring.hpp"

namespace fiber::detail {

class worker;

class alignas(64) execution {
 public:
  using after_function = void (*)(worker& here, void* argument) noexcept;

  [[gnu::always_inline]] void yield() noexcept {
    control_block* self = running_;
    control_block* next = run_ring::next_of(self);
    if (--budget_ < 0 || next == self || exceptions_->any()) [[unlikely]] {
      yield_slowly();
      return;
    }
    ready_.rotate_past(self);
    running_ = next;
    switch_strand(*self, *next);
  }

  // Takes the running fiber off this worker; `after(argument)`, if any, runs on the loop once it has left its stack.
  // Returns when somebody has made it runnable again, maybe on another worker.
  [[gnu::noinline]] void suspend(after_function after, void* argument) noexcept;

  // Ends the running fiber; `after` as above.
  [[noreturn]] void finish(after_function after, void* argument) noexcept;

  control_block* running() const noexcept { return running_; }

 protected:
  // Defined by worker, which alone derives from this.
  void yield_slowly() noexcept;
  // Runs the front of the ready ring until a fiber suspends or ends, then its after hook.
  void run_front() noexcept;

  control_block* running_ = nullptr;  // null: the loop runs
  run_ring ready_;
  std::int32_t budget_ = 0;
  exception_state* exceptions_ = nullptr;
  after_function after_ = nullptr;
  void* after_argument_ = nullptr;
  strand loop_{};

 private:
  void leave(control_block& self, strand& target) noexcept;
};

// Entry of every fiber; `block` is its control_block.
[[noreturn]] void fiber_main(void* block) noexcept;

}  // namespace fiber::detail
