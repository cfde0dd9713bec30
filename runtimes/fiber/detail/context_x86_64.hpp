#pragma once
// x86-64 context switch. See context.hpp.

namespace fiber::detail {

struct context {
  void* sp;
  void* bp;
  void* pc;
};

#if defined(__CET__) && (__CET__ & 1)
#define BB_FIBER_LANDING "endbr64\n"
#else
#define BB_FIBER_LANDING ""
#endif
// GCC refuses names of registers that the target lacks; clang takes them all.
#if defined(__AVX512F__) || defined(__clang__)
#define BB_FIBER_CLOBBER_AVX512                                                                 \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", \
      "k6", "k7"
#else
#define BB_FIBER_CLOBBER_AVX512
#endif

// Suspends the caller into `from` and goes on with `to`; returns when somebody switches to `from`.
[[gnu::always_inline]] inline void switch_context(context& from, context& to) noexcept {
  context* source = &from;
  context* target = &to;
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, 0(%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "movq %%rax, 16(%0)\n\t"
      "movq 16(%1), %%rax\n\t"
      "movq 8(%1), %%rbp\n\t"
      "movq 0(%1), %%rsp\n\t"
      "jmpq *%%rax\n"
      "1:\n\t" BB_FIBER_LANDING
      : "+D"(source), "+S"(target)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15" BB_FIBER_CLOBBER_AVX512, "st", "st(1)", "st(2)", "st(3)",
        "st(4)", "st(5)", "st(6)", "st(7)", "memory", "cc");
}

#undef BB_FIBER_LANDING
#undef BB_FIBER_CLOBBER_AVX512

}  // namespace fiber::detail
