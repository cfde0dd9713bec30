#pragma once
// fib: the n-th Fibonacci number by its definition, a fork at every call above the leaves. No memory and next to no
// work: the micro-benchmark that every work stealer reports. Half the calls fork.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "harness/in_turn.hpp"
#include "harness/workload.hpp"

namespace bb {
namespace detail {

constexpr std::uint64_t fibonacci(unsigned n) {
  std::uint64_t a = 0, b = 1;
  for (; n > 0; --n) b += std::exchange(a, b);
  return a;
}

}  // namespace detail

struct fib {
  static constexpr std::string_view id = "fib";
  static constexpr std::string_view summary = "Fibonacci by double recursion, a fork at every call";
  static constexpr std::string_view operation = "call";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {
      param_spec{.name = "n", .help = "which number", .smoke = "1,10", .full = "32", .max = 60},
      entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) {
    return static_cast<double>(calls(static_cast<unsigned>(v.number("n"))));
  }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values& v) { return v.number("n") > 37; }

  struct input {
    unsigned n;
    explicit input(const values& v) : n(static_cast<unsigned>(v.number("n"))) {}
  };

  /// Calls by table: the recursion asks at every call when there is a cut-off.
  static constexpr auto sizes = [] {
    std::array<std::uint64_t, 61> s{};
    for (unsigned n = 0; n < s.size(); ++n) s[n] = 2 * detail::fibonacci(n + 1) - 1;
    return s;
  }();

  static result expect(const input& in) { return detail::fibonacci(in.n); }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return compute<R>(c, in.n);
  }

 private:
  static constexpr std::uint64_t calls(unsigned n) { return 2 * detail::fibonacci(n + 1) - 1; }

  template <ForkJoin R>
  static result compute(typename R::ctx c, unsigned n) {
    if (n < 2) return n;
    if constexpr (Cutoff<R>)
      if (below_cutoff<R>(c, sizes[n])) return compute<in_turn>({}, n);
    return R::fork_join(
        c, [n](typename R::ctx d) { return compute<R>(d, n - 1); },
        [n](typename R::ctx d) { return compute<R>(d, n - 2); },
        [](result a, result b) { return a + b; });
  }
};
static_assert(Workload<fib>);

}  // namespace bb
