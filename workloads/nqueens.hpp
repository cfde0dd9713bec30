#pragma once
// nqueens: in how many ways n queens stand on an n x n board without attacking each other. A fork for every further
// free field of a row: irregular, and the work of a branch is not known beforehand, so there is no cut-off; the arms
// that set one run the naive form.

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/primitives.hpp"
#include "harness/workload.hpp"

namespace bb {

struct nqueens {
  static constexpr std::string_view id = "nqueens";
  static constexpr std::string_view summary = "solutions of the n queens problem by backtracking";
  static constexpr std::string_view operation = "placement";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {
      param_spec{.name = "board", .help = "queens", .smoke = "1,6", .full = "11", .max = 16},
      entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) {
    return static_cast<double>(placements(board_of(static_cast<unsigned>(v.number("board")))));
  }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values& v) { return v.number("board") > 13; }

  struct input {
    unsigned queens;
    explicit input(const values& v) : queens(static_cast<unsigned>(v.number("board"))) {}
  };

  /// Known numbers (OEIS A000170).
  static result expect(const input& in) {
    constexpr std::array<result, 17> solutions = {
        1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
    return solutions[in.queens];
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return row<R>(c, board_of(in.queens));
  }

 private:
  /// One bit a column: all columns; those taken, and those attacked along the two diagonals, in the next row.
  struct board {
    std::uint32_t all, taken, falling, rising;

    std::uint32_t free() const { return all & ~(taken | falling | rising); }
    board with(std::uint32_t queen) const {
      return {all, taken | queen, (falling | queen) << 1, (rising | queen) >> 1};
    }
  };
  static board board_of(unsigned queens) { return {(1u << queens) - 1, 0, 0, 0}; }

  /// Queens put down in the whole search.
  static std::uint64_t placements(board b) {
    std::uint64_t n = 0;
    for (std::uint32_t free = b.free(); free != 0; free &= free - 1)
      n += 1 + placements(b.with(free & -free));
    return n;
  }

  template <ForkJoin R>
  static result row(typename R::ctx c, board b) {
    if (b.taken == b.all) return 1;
    const std::uint32_t free = b.free();
    return free == 0 ? 0 : fields<R>(c, b, free);
  }

  /// `free` is not 0.
  template <ForkJoin R>
  static result fields(typename R::ctx c, board b, std::uint32_t free) {
    const std::uint32_t first = free & -free, rest = free ^ first;
    if (rest == 0) return row<R>(c, b.with(first));
    return R::fork_join(
        c, [b, first](typename R::ctx d) { return row<R>(d, b.with(first)); },
        [b, rest](typename R::ctx d) { return fields<R>(d, b, rest); },
        [](result x, result y) { return x + y; });
  }
};
static_assert(Workload<nqueens>);

}  // namespace bb
