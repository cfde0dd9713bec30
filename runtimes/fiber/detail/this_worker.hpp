#pragma once
// this_worker: which worker runs the caller. Correct after any number of migrations.
//
// A compiler may compute the address of a thread-local variable once and keep it over a suspension, after which the
// fiber may be on another thread (silk#66, llvm-project#98479, GCC PR 26461; LTO inlines through noinline accessors
// of other units). So the variable is read by volatile assembly, which loads the thread pointer anew each time and
// gives the compiler no address to keep. Initial-exec model: two loads, no call.
namespace fiber::detail {

class worker;

extern "C" __thread worker* bb_fiber_this_worker __attribute__((tls_model("initial-exec")));

// For processors without assembly below: opaque to the optimiser, but only without LTO.
worker* this_worker_out_of_line() noexcept;

[[gnu::always_inline]] inline worker* this_worker() noexcept {
  worker* found;
#if defined(__x86_64__)
  asm volatile(
      "movq bb_fiber_this_worker@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(found));
#elif defined(__aarch64__)
  worker** offset;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:bb_fiber_this_worker\n\t"
      "ldr %1, [%1, #:gottprel_lo12:bb_fiber_this_worker]\n\t"
      "ldr %0, [%0, %1]"
      : "=&r"(found), "=&r"(offset));
#else
  found = this_worker_out_of_line();
#endif
  return found;
}

}  // namespace fiber::detail
