#include "runtimes/fiber/detail/context.hpp"

#include <cstring>
#include <exception>

namespace fiber::detail {

#if defined(BB_FIBER_BOOST_CONTEXT)

namespace {
void boost_entry(boost::context::detail::transfer_t transfer) {
  auto* source = static_cast<context*>(transfer.data);
  auto* self = static_cast<context*>(source->argument);
  auto entry = reinterpret_cast<entry_function>(self->entry);
  self->entry = nullptr;
  void* argument = self->argument;
  store_source(transfer);
  entry(argument);
  std::terminate();
}
}  // namespace

context make_context(void* top, entry_function entry, void* argument) noexcept {
  constexpr std::size_t any_size = 4096;  // unused by the ELF implementations
  auto handle = boost::context::detail::make_fcontext(top, any_size, boost_entry);
  return {handle, reinterpret_cast<void*>(entry), argument};
}

const char* context_kind() noexcept { return "boost"; }

#else

// The first frame. `undefined` return address and a zero frame pointer tell every unwinder (libgcc, gdb, perf) that
// the stack ends here. The two words above the stack pointer are the argument and the function; see make_context.
extern "C" void bb_fiber_entry() noexcept;

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl bb_fiber_entry
.hidden bb_fiber_entry
.type bb_fiber_entry, @function
bb_fiber_entry:
.cfi_startproc
.cfi_undefined rip
.cfi_def_cfa rsp, 16
    endbr64
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rax
    xorl %ebp, %ebp
    callq *%rax
    ud2
.cfi_endproc
.size bb_fiber_entry, . - bb_fiber_entry
)");
const char* context_kind() noexcept { return "x86_64"; }
#else
asm(R"(
.text
.p2align 4
.globl bb_fiber_entry
.hidden bb_fiber_entry
.type bb_fiber_entry, %function
bb_fiber_entry:
.cfi_startproc
.cfi_undefined x30
.cfi_def_cfa sp, 16
    hint #38
    ldp x0, x9, [sp]
    mov x29, xzr
    mov x30, xzr
    blr x9
    brk #1
.cfi_endproc
.size bb_fiber_entry, . - bb_fiber_entry
)");
const char* context_kind() noexcept { return "aarch64"; }
#endif

context make_context(void* top, entry_function entry, void* argument) noexcept {
  void* hand_over[2] = {argument, reinterpret_cast<void*>(entry)};
  char* sp = static_cast<char*>(top) - sizeof hand_over;
  std::memcpy(sp, hand_over, sizeof hand_over);
  return {sp, nullptr, reinterpret_cast<void*>(&bb_fiber_entry)};
}

#endif

}  // namespace fiber::detail
