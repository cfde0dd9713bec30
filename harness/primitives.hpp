#pragma once
// The contract between workloads and runtimes: what a runtime must offer so that a workload can be written once for
// all of them. Concepts, never virtual functions: each (workload, runtime) pair is compiled whole, so that a fork of
// one nanosecond is not buried under an indirect call.
//
//   Runtime     is built from a config, has a context that is handed down, and runs a callable inside itself
//   ForkJoin    runs two callables that may run at the same time and combines their results
//   Cutoff      knows a bound below which a workload does not fork (a documented arm of the naive work stealers)
//
// A context is passed by value and is trivially copyable; for a runtime that needs none it is an empty struct and
// vanishes. Results come back by value: a captured reference would force the accumulator into memory (Spice's
// README shows what that costs).

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "harness/config.hpp"

namespace bb {

/// R::id            the name on the command line and in results
/// R::summary       one line for `bb list`
/// R::ours          true for the four libraries of this project
/// R::version()     the library's version and the settings that matter, for the result
/// R(config)        starts all workers; each has sat (config::sit) when it returns
/// r.run(f)         calls f(ctx) inside the runtime and returns its result; may be called again and again
template <class R>
concept Runtime = std::constructible_from<R, const config&> &&
    std::is_trivially_copyable_v<typename R::ctx> && requires(R r) {
  { R::id } -> std::convertible_to<std::string_view>;
  { R::summary } -> std::convertible_to<std::string_view>;
  { R::ours } -> std::convertible_to<bool>;
  { R::version() } -> std::convertible_to<std::string>;
  {
    r.run([](typename R::ctx) { return 0; })
    } -> std::same_as<int>;
};

/// R::fork_join(c, left, right, combine): calls left(ctx) and right(ctx), in any order or at the same time, and
/// returns combine(left result, right result).
template <class R>
concept ForkJoin = Runtime<R> && requires(typename R::ctx c) {
  {
    R::fork_join(
        c, [](typename R::ctx) { return 1; }, [](typename R::ctx) { return 2L; },
        [](int a, long b) { return a + b; })
    } -> std::same_as<long>;
};

/// R::cutoff(c): operations below which a workload runs serially; 0 = fork at every chance.
template <class R>
concept Cutoff = ForkJoin<R> && requires(typename R::ctx c) {
  { R::cutoff(c) } -> std::convertible_to<std::uint64_t>;
};

/// A runtime of one thread, whatever --threads says (`serial`): it has cells at one thread alone.
template <class R>
concept SingleThread = Runtime<R> && requires {
  requires R::single_thread;
};

/// Keeps the compiler from knowing `p`, or from keeping memory in registers over this point, so that a repeated
/// operation is done each time.
template <class T>
inline T* opaque(T* p) {
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

}  // namespace bb
