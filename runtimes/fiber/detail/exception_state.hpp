#pragma once
// The C++ runtime keeps the exceptions being handled per thread; a fiber that suspends inside a handler, or in a
// destructor while the stack unwinds, must take them along (boostorg/context#281, silk#98).
//
// Invariant eh-empty: whenever a fiber starts or resumes, the state of its thread is empty. A fiber that suspends
// with a non-empty state keeps it on its own stack, clears the thread's, and puts it into the state of the thread
// that resumes it. So the common case costs two loads and no store.
#include <cstdint>

namespace fiber::detail {

// Layout of __cxa_eh_globals, fixed by the Itanium C++ ABI (Exception Handling, 2.2.2).
struct exception_state {
  void* caught;
  unsigned int uncaught;

  bool any() const noexcept { return (reinterpret_cast<std::uintptr_t>(caught) | uncaught) != 0; }
};

// The state of the calling thread; the address is the thread's, so never keep it over a switch.
exception_state* thread_exception_state() noexcept;

}  // namespace fiber::detail
