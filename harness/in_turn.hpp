#pragma once
// What a fork/join body runs below its cut-off: itself, over a runtime that only calls.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "harness/primitives.hpp"

namespace bb {

/// Calls left, then right. Stateless; any thread.
struct in_turn {
  static constexpr std::string_view id = "in_turn";
  static constexpr std::string_view summary = "plain calls";
  static constexpr bool ours = false;
  static std::string version() { return {}; }

  struct ctx {};

  explicit in_turn(const config&) {}

  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    auto a = left(c);
    return combine(std::move(a), right(c));
  }
};
static_assert(ForkJoin<in_turn>);

/// Whether a piece of `operations` is below the cut-off of R; never where R has none, at no cost.
template <ForkJoin R>
bool below_cutoff(typename R::ctx c, std::uint64_t operations) {
  if constexpr (Cutoff<R>) return operations <= R::cutoff(c);
  return false;
}

}  // namespace bb
