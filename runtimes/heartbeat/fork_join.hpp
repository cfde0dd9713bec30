// fork_join: run two branches that may run at the same time, then go on with both results.
//
// The local path is two stores (the entry), one compare (a beat, or the end of the array), the left
// branch, one compare (promoted?), the right branch. No atomic read-modify-write, no list, no call.
#pragma once
#include <type_traits>
#include <utility>
#include <variant>

#include "branch.hpp"
#include "context.hpp"

namespace heartbeat {
namespace detail {

// The same pointer, but the compiler does not know: so it computes the worker's address and the next
// context again (one instruction each) where it would keep them in registers across the left branch,
// at the price of a push and a pop for each in every call of a recursive function.
[[gnu::always_inline]] inline entry* afresh(entry* tail) noexcept {
  asm volatile("" : "+r"(tail));
  return tail;
}

// Debug: while it lives, contexts below `floor` are out of date.
template <bool Checked>
struct basic_floor_mark {
  basic_floor_mark(entry*, entry*) noexcept {}
};

template <>
struct basic_floor_mark<true> {
  basic_floor_mark(entry* tail, entry* floor) noexcept : tail(tail) {
    worker_of(tail)->floor = floor;
  }
  ~basic_floor_mark() { worker_of(tail)->floor = tail; }
  basic_floor_mark(const basic_floor_mark&) = delete;
  entry* tail;
};

using floor_mark = basic_floor_mark<checked>;

[[gnu::always_inline]] inline void check_context(entry* tail) noexcept {
  if constexpr (checked) {
    require(worker_of(tail)->on_owner(),
            "a context is used on another thread than its own; use the context that the branch "
            "gets as its argument");
    require(
        tail >= worker_of(tail)->floor,
        "a context of an outer task is used; use the context that the branch gets as its argument");
  }
}

template <class Result, bool Nothrow>
[[gnu::noinline, gnu::cold]] Result join_promoted(entry* tail) noexcept(Nothrow) {
  return take_result<Result>(worker_of(tail)->settle(tail));
}

// The left branch has thrown: if the right one runs, it must end before its captures die.
template <class Result>
[[gnu::noinline, gnu::cold]] void abandon(entry* tail) noexcept {
  if (worker_of(tail)->head <= tail) return;
  if (job* j = worker_of(tail)->call_off(tail)) {
    j->error = nullptr;
    const job_end<Result> end{*j};
  }
}

template <class Result, class Left>
[[gnu::always_inline]] inline std::invoke_result_t<Left, context> run_left(entry* tail, entry* next,
                                                                           Left&& left) {
  const floor_mark mark(tail, next);
  if constexpr (std::is_nothrow_invocable_v<Left, context>) {
    return std::forward<Left>(left)(context_access::make(next));
  } else {
    try {
      return std::forward<Left>(left)(context_access::make(next));
    } catch (...) {
      abandon<Result>(tail);
      throw;
    }
  }
}

// Gets the right result, from wherever it is, and goes on with `then`, on both ways out alike.
template <class Right, class Then>
[[gnu::always_inline]] inline decltype(auto) join(entry* tail, Right&& right, Then&& then) {
  using result = std::invoke_result_t<Right, context>;
  constexpr bool nothrow = std::is_nothrow_invocable_v<Right, context>;
  tail = afresh(tail);
  const bool promoted = worker_of(tail)->head > tail;
  if constexpr (std::is_void_v<result>) {
    if (promoted) [[unlikely]] {
      join_promoted<result, nothrow>(tail);
      return then();
    }
    std::forward<Right>(right)(context_access::make(tail));
    return then();
  } else {
    if (promoted) [[unlikely]]
      return then(join_promoted<result, nothrow>(tail));
    return then(std::forward<Right>(right)(context_access::make(tail)));
  }
}

template <class Branch>
concept branch = std::is_invocable_v<Branch, context>;

template <class Result>
concept movable_result =
    std::is_void_v<Result> || std::is_reference_v<Result> || std::is_move_constructible_v<Result>;

template <class Result>
using regular = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;

}  // namespace detail

// Runs left(context) and right(context), perhaps at the same time, and returns combine(l, r) of
// their results; a result of type void is left out of the call. `combine` runs after both, in the
// caller.
//
// Results: void, references, anything that can be moved. Small captures (8 bytes) and results by
//   value are the fast way: they stay in registers.
// Exceptions: both branches have ended when fork_join throws, and it throws what the same code
//   without forks would: the exception of the left branch, if there is one. A right branch that
//   nobody has begun by then never runs. Branches that are noexcept need no landing pads.
// Order: without sharing, left first, then right. Branches must not wait for each other, and must
//   hold no lock across a fork_join that another task may want: the thread that waits in a join runs
//   other tasks meanwhile.
// Depth: as deep as the stack; forks nested more than some 65,000 deep are not shared.
//
// `combine` beside the pair form is not a matter of taste: only with it can the compiler turn the
// right branch into a loop, as it does with the serial recursion.
template <class Left, class Right, class Combine>
[[gnu::always_inline]] inline decltype(auto) fork_join(context c, Left&& left, Right&& right,
                                                       Combine&& combine) {
  static_assert(detail::branch<Left> && detail::branch<Right>,
                "a branch must be callable with a heartbeat::context by value: "
                "[=](heartbeat::context c) { ... }");
  using left_result = std::invoke_result_t<Left, context>;
  using right_result = std::invoke_result_t<Right, context>;
  static_assert(detail::movable_result<left_result> && detail::movable_result<right_result>,
                "the result of a branch must be void, a reference, or move constructible");

  detail::entry* const tail = detail::afresh(detail::context_access::tail(c));
  detail::check_context(tail);
  detail::open(tail, std::forward<Right>(right));
  detail::entry* next = tail + 1;
  // relaxed: a beat carries no data
  if (next > detail::worker_of(tail)->limit.load_relaxed()) [[unlikely]]
    next = detail::worker_of(tail)->poll(next);

  if constexpr (std::is_void_v<left_result>) {
    detail::run_left<right_result>(tail, next, std::forward<Left>(left));
    return detail::join(tail, std::forward<Right>(right), std::forward<Combine>(combine));
  } else {
    left_result l = detail::run_left<right_result>(tail, next, std::forward<Left>(left));
    return detail::join(
        tail, std::forward<Right>(right),
        [&]<class... Result>(Result && ... r) __attribute__((always_inline))->decltype(auto) {
          return std::forward<Combine>(combine)(std::forward<left_result>(l),
                                                std::forward<Result>(r)...);
        });
  }
}

// The pair form: returns {l, r}, with std::monostate for a result of type void; void if both are.
template <class Left, class Right>
[[gnu::always_inline]] inline auto fork_join(context c, Left&& left, Right&& right) {
  using l = std::invoke_result_t<Left, context>;
  using r = std::invoke_result_t<Right, context>;
  if constexpr (std::is_void_v<l> && std::is_void_v<r>) {
    fork_join(c, std::forward<Left>(left), std::forward<Right>(right), [] {});
  } else {
    using both = std::pair<detail::regular<l>, detail::regular<r>>;
    if constexpr (std::is_void_v<l>) {
      return fork_join(c, std::forward<Left>(left), std::forward<Right>(right),
                       [](r&& y) { return both(std::monostate{}, std::forward<r>(y)); });
    } else if constexpr (std::is_void_v<r>) {
      return fork_join(c, std::forward<Left>(left), std::forward<Right>(right),
                       [](l&& x) { return both(std::forward<l>(x), std::monostate{}); });
    } else {
      return fork_join(c, std::forward<Left>(left), std::forward<Right>(right),
                       [](l&& x, r&& y) { return both(std::forward<l>(x), std::forward<r>(y)); });
    }
  }
}

}  // namespace heartbeat
