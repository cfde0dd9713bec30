#pragma once
// Portable fall-back: Boost.Context's fcontext, which saves all callee-saved registers on the stack (and, on x86-64,
// MXCSR and the x87 control word). See context.hpp.
#include <boost/context/detail/fcontext.hpp>

namespace fiber::detail {

struct context {
  boost::context::detail::fcontext_t handle;
  void* entry;
  void* argument;
};

// Who arrives stores where the other side stopped: fcontext hands that over only then.
inline void store_source(boost::context::detail::transfer_t transfer) noexcept {
  static_cast<context*>(transfer.data)->handle = transfer.fctx;
}

inline void switch_context(context& from, context& to) noexcept {
  auto* target = to.handle;
  if (to.entry != nullptr) from.argument = &to;  // first arrival: the entry learns what to call
  store_source(boost::context::detail::jump_fcontext(target, &from));
}

}  // namespace fiber::detail
