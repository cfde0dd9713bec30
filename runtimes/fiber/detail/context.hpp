#pragma once
// context: a suspended flow of control, and the switch between two of them.
//
// The switch is inline assembly that stores three registers (stack pointer, frame pointer, resume address) and names
// all others as clobbered, so the compiler saves exactly those that are live at that place, mostly none. The idea is
// that of libfringe and of Photon's CACS ("Stackful Coroutine Made Fast", Li et al. 2024, section 4).
//
//  * Nothing is pushed: the registers go into the context, so code compiled with a red zone stays whole.
//  * MXCSR, the x87 control word and FPCR are NOT switched. As in the psABI they belong to the thread: who changes
//    them restores them before suspending. Builds with assertions check it at each suspension.
//  * Vector, mask and x87 registers are clobbered, which costs nothing unless a value is live in one.
//  * The new stack pointer is loaded one instruction before the jump, so unwind tables are wrong for a sampling
//    profiler during that single instruction, and right everywhere else.
//  * With CET, the resume label carries an endbr64. Shadow stacks are not switched: see CMakeLists.txt.
#include <cstddef>
#include <cstdint>

#if defined(BB_FIBER_BOOST_CONTEXT)
#include "runtimes/fiber/detail/context_boost.hpp"
#elif defined(__x86_64__)
#include "runtimes/fiber/detail/context_x86_64.hpp"
#elif defined(__aarch64__)
#include "runtimes/fiber/detail/context_aarch64.hpp"
#else
#error \
    "No context switch for this processor: configure with -DBB_FIBER_BOOST_CONTEXT=ON (needs Boost.Context)"
#endif

namespace fiber::detail {

// First code of a new context; never returns.
using entry_function = void (*)(void* argument) noexcept;

// Prepares a context that calls `entry(argument)` at its first switch. `top` is 16-byte aligned; the words below it
// are used for the hand-over.
context make_context(void* top, entry_function entry, void* argument) noexcept;

// Name of the implementation in use: "x86_64", "aarch64" or "boost".
const char* context_kind() noexcept;

}  // namespace fiber::detail
