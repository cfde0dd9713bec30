#pragma once
// skynet: a tree of ten children a node whose leaves hold their number; the root sums them (A. Temerev's skynet,
// github.com/atemerev/skynet). The ten children are made by forks in halves, so every runtime makes nine forks a node.

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/in_turn.hpp"
#include "harness/workload.hpp"

namespace bb {

struct skynet {
  static constexpr std::string_view id = "skynet";
  static constexpr std::string_view summary = "tree of ten children a node, its leaves summed";
  static constexpr std::string_view operation = "leaf";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {
      param_spec{.name = "levels", .help = "10^levels leaves", .smoke = "2", .full = "6", .max = 9},
      entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(input(v).leaves); }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values& v) { return v.number("levels") > 7; }

  struct input {
    std::uint64_t leaves = 1;
    explicit input(const values& v) {
      for (auto level = v.number("levels"); level > 0; --level) leaves *= 10;
    }
  };

  static result expect(const input& in) { return in.leaves * (in.leaves - 1) / 2; }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return node<R>(c, 0, in.leaves);
  }

 private:
  template <ForkJoin R>
  static result node(typename R::ctx c, std::uint64_t first, std::uint64_t leaves) {
    if (leaves == 1) return first;
    if (below_cutoff<R>(c, leaves)) return node<in_turn>({}, first, leaves);
    return children<R>(c, first, leaves / 10, 10);
  }

  /// `count` neighbours of `leaves` leaves each.
  template <ForkJoin R>
  static result children(typename R::ctx c, std::uint64_t first, std::uint64_t leaves,
                         unsigned count) {
    if (count == 1) return node<R>(c, first, leaves);
    const unsigned left = count / 2;
    return R::fork_join(
        c, [=](typename R::ctx d) { return children<R>(d, first, leaves, left); },
        [=](typename R::ctx d) {
          return children<R>(d, first + left * leaves, leaves, count - left);
        },
        [](result a, result b) { return a + b; });
  }
};
static_assert(Workload<skynet>);

}  // namespace bb
