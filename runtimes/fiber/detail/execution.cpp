#include "runtimes/fiber/detail/execution.hpp"

#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/detail/worker.hpp"

#if defined(__x86_64__) && !defined(NDEBUG)
#include <xmmintrin.h>

#include "runtimes/fiber/detail/misuse.hpp"
#endif

namespace fiber::detail {

extern "C" {
__thread worker* bb_fiber_this_worker = nullptr;
}

[[gnu::noinline]] worker* this_worker_out_of_line() noexcept { return bb_fiber_this_worker; }

namespace {

void check_float_modes() noexcept {
#if defined(__x86_64__) && !defined(NDEBUG)
  constexpr unsigned default_modes = 0x1f80;
  constexpr unsigned mode_bits =
      0xffc0;  // without the sticky flags; flush-to-zero may be set by -ffast-math
  constexpr unsigned flush_bits = 0x8040;
  if ((_mm_getcsr() & mode_bits & ~flush_bits) != default_modes) {
    misuse(
        "a fiber suspended with a changed MXCSR (rounding or exception mask); restore it first, it "
        "is the thread's");
  }
#endif
}

}  // namespace

// Invariant eh-empty: see exception_state.hpp.
void execution::leave(control_block& self, strand& target) noexcept {
  check_float_modes();
  if (!exceptions_->any()) [[likely]] {
    switch_strand(self, target);
    return;
  }
  const exception_state mine = *exceptions_;
  *exceptions_ = {};
  switch_strand(self, target);
  *this_worker()->exceptions_ = mine;
}

void execution::suspend(after_function after, void* argument) noexcept {
  control_block& self = *running_;
  after_ = after;
  after_argument_ = argument;
  self.state = fiber_state::parked;
  ready_.pop_front();
  leave(self, loop_);
}

void execution::finish(after_function after, void* argument) noexcept {
  control_block& self = *running_;
  after_ = after;
  after_argument_ = argument;
  self.state = fiber_state::unused;
  ready_.pop_front();
  switch_strand(self, loop_, departure::final);
  __builtin_unreachable();
}

void execution::yield_slowly() noexcept {
  auto& here = static_cast<worker&>(*this);
  if (budget_ < 0) here.service();
  control_block* self = running_;
  control_block* next = run_ring::next_of(self);
  if (next == self) return;
  ready_.rotate_past(self);
  running_ = next;
  leave(*self, *next);
}

void execution::run_front() noexcept {
  control_block* next = ready_.front();
  running_ = next;
  switch_strand(loop_, *next);
  running_ = nullptr;
  const after_function after = after_;
  if (after != nullptr) after(static_cast<worker&>(*this), after_argument_);
}

void fiber_main(void* block) noexcept {
  auto* self = static_cast<control_block*>(block);
  sanitizer_arrive(self->sanitizer);
  self->run(self->closure);
  worker::end_of_fiber();
}

}  // namespace fiber::detail
