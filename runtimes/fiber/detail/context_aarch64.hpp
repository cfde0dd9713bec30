#pragma once
// aarch64 context switch. See context.hpp.
//
// x18 is the platform's register in the procedure call standard, but an ordinary one on Linux, so it is clobbered. A
// shadow call stack lives in it and would have to be switched as well.

#if defined(__has_feature)
#if __has_feature(shadow_call_stack)
#error \
    "fibers and -fsanitize=shadow-call-stack do not go together: x18 would have to be one per fiber"
#endif
#endif

namespace fiber::detail {

struct context {
  void* sp;
  void* fp;
  void* pc;
};

#if defined(__ARM_FEATURE_SVE)
#define BB_FIBER_CLOBBER_SVE                                                                       \
  , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", \
      "p15"
#else
#define BB_FIBER_CLOBBER_SVE
#endif

// Suspends the caller into `from` and goes on with `to`; returns when somebody switches to `from`.
[[gnu::always_inline]] inline void switch_context(context& from, context& to) noexcept {
  register context* source asm("x0") = &from;
  register context* target asm("x1") = &to;
  asm volatile(
      "adr x9, 1f\n\t"
      "mov x10, sp\n\t"
      "stp x10, x29, [%0]\n\t"
      "str x9, [%0, #16]\n\t"
      "ldr x16, [%1, #16]\n\t"
      "ldp x10, x29, [%1]\n\t"
      "mov sp, x10\n\t"
      "br x16\n"
      "1:\n\t"
      "hint #36\n\t"  // bti j; a no-op where branch targets are not checked
      : "+r"(source), "+r"(target)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
        "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
        "v26", "v27", "v28", "v29", "v30", "v31" BB_FIBER_CLOBBER_SVE, "memory", "cc");
}

#undef BB_FIBER_CLOBBER_SVE

}  // namespace fiber::detail
