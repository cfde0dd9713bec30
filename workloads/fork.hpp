#pragma once
// fork: exactly N forks and nothing else, for a series of N. The time of a run over N is a line whose slope is the cost
// of one fork and whose intercept is what a run costs apart from forks; the idea is forkbench's (github.com/iu-parfunc/
// forkbench). It compares runtimes that differ by a factor of 10,000, and needs no serial time to subtract.
//
// A figure here is per *fork*; the tree's is per node, and half the nodes fork. The slope contains the recursion that
// makes the forks: `serial` shows it alone.

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/cell_body.hpp"
#include "harness/in_turn.hpp"
#include "harness/workload.hpp"

namespace bb {

struct fork_series {
  static constexpr std::string_view id = "fork";
  static constexpr std::string_view summary =
      "N forks that do nothing: ns per fork is the slope over N";
  static constexpr std::string_view operation = "fork";
  static constexpr std::string_view needs = "fork/join";
  static constexpr series_spec series{"forks", "ns/fork", "ns/run", true};
  static constexpr std::array parameters = {
      param_spec{
          .name = "forks", .help = "forks of one run", .smoke = "1,100", .full = "10K,20K,30K,40K"},
      entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(v.number("forks")); }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values&) { return false; }

  struct input {
    std::uint64_t forks;
    explicit input(const values& v) : forks(static_cast<std::uint64_t>(v.number("forks"))) {}
  };

  /// Every fork makes one leaf more.
  static result expect(const input& in) { return in.forks + 1; }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return leaves<R>(c, in.forks);
  }

 private:
  template <ForkJoin R>
  static result leaves(typename R::ctx c, std::uint64_t forks) {
    if (forks == 0) return 1;
    if (below_cutoff<R>(c, forks)) return leaves<in_turn>({}, forks);
    const std::uint64_t left = (forks - 1) / 2, right = forks - 1 - left;
    return R::fork_join(
        c, [left](typename R::ctx d) { return leaves<R>(d, left); },
        [right](typename R::ctx d) { return leaves<R>(d, right); },
        [](result a, result b) { return a + b; });
  }
};
static_assert(Workload<fork_series>);

}  // namespace bb
