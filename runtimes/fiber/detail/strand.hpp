#pragma once
// strand: a context with what the sanitizers know of it. Fibers and the workers' own stacks are strands.
#include "runtimes/fiber/detail/context.hpp"
#include "runtimes/fiber/detail/sanitizer.hpp"

namespace fiber::detail {

struct strand {
  context ctx{};
  sanitizer_state sanitizer{};
};

// Suspends the caller as `from` and goes on with `to`.
[[gnu::always_inline]] inline void switch_strand(strand& from, strand& to,
                                                 departure kind = departure::will_return) noexcept {
  sanitizer_leave(from.sanitizer, to.sanitizer, kind);
  switch_context(from.ctx, to.ctx);
  sanitizer_arrive(from.sanitizer);
}

}  // namespace fiber::detail
