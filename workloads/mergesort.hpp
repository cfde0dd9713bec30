#pragma once
// mergesort: sorts keys by halves that fork, and merges by halves that fork too, as Cilk's cilksort (Frigo, Leiserson,
// Randall, PLDI 1998) does. Memory traffic, unpredictable branches, and leaves of a few hundred nanoseconds.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/in_turn.hpp"
#include "harness/random.hpp"
#include "harness/workload.hpp"

namespace bb {

struct mergesort {
  static constexpr std::string_view id = "mergesort";
  static constexpr std::string_view summary = "sort of random keys, halves and merges fork";
  static constexpr std::string_view operation = "key";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {param_spec{.name = "keys",
                                                       .help = "keys of 4 bytes",
                                                       .smoke = "1,2K",
                                                       .full = "1M",
                                                       .max = 1'000'000'000},
                                            entry_parameter};

  using key = std::uint32_t;
  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(v.number("keys")); }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values& v) { return operations(v) * 3 * sizeof(key); }
  static bool large(const values& v) { return operations(v) > 20e6; }

  struct input {
    std::vector<key> keys;
    mutable std::vector<key> sorted,
        spare;  // written by the runs; each trial has copies of its own

    explicit input(const values& v)
        : keys(static_cast<std::size_t>(v.number("keys"))),
          sorted(keys.size()),
          spare(keys.size()) {
      random_source random(0x5eed);
      for (key& k : keys) k = static_cast<key>(random());
    }
  };

  static result expect(const input& in) {
    std::vector<key> sorted = in.keys;
    std::sort(sorted.begin(), sorted.end());
    return weigh(sorted);
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    sort<R>(c, {in.keys.data(), in.sorted.data(), in.spare.data(), in.keys.size()});
    return weigh(in.sorted);
  }

 private:
  static constexpr std::size_t sort_leaf = 32, merge_leaf = 512;

  /// Depends on the place of every key. One addition a key, beside log2 n comparisons.
  static result weigh(const std::vector<key>& keys) {
    result sum = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) sum += (i + 1) * keys[i];
    return sum;
  }

  /// `size` keys from `from`, sorted into `to`; `spare` is as large and used on the way.
  struct part {
    const key* from;
    key* to;
    key* spare;
    std::size_t size;
  };

  /// Returns the number of leaves, since a branch has to return something.
  template <ForkJoin R>
  static std::uint64_t sort(typename R::ctx c, part p) {
    if (p.size <= sort_leaf) return insert(p), 1;
    if (below_cutoff<R>(c, p.size)) return sort<in_turn>({}, p);
    const std::size_t half = p.size / 2;
    const std::uint64_t leaves = R::fork_join(
        c,
        [=](typename R::ctx d) {
          return sort<R>(d, {p.from, p.spare, p.to, half});
        },
        [=](typename R::ctx d) {
          return sort<R>(d, {p.from + half, p.spare + half, p.to + half, p.size - half});
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    return leaves + merge<R>(c, {p.spare, half, p.spare + half, p.size - half, p.to});
  }

  static void insert(const part& p) {
    for (std::size_t i = 0; i < p.size; ++i) {
      std::size_t at = i;
      for (; at > 0 && p.to[at - 1] > p.from[i]; --at) p.to[at] = p.to[at - 1];
      p.to[at] = p.from[i];
    }
  }

  /// Two sorted ranges, merged to `to`.
  struct pair {
    const key* a;
    std::size_t a_size;
    const key* b;
    std::size_t b_size;
    key* to;
  };

  /// Parts the larger range in the middle, and the other where that middle key would stand.
  template <ForkJoin R>
  static std::uint64_t merge(typename R::ctx c, pair p) {
    if (p.a_size < p.b_size) p = {p.b, p.b_size, p.a, p.a_size, p.to};
    const std::size_t size = p.a_size + p.b_size;
    if (size <= merge_leaf || below_cutoff<R>(c, size))
      return std::merge(p.a, p.a + p.a_size, p.b, p.b + p.b_size, p.to), 1;
    const std::size_t i = p.a_size / 2;
    const auto j = static_cast<std::size_t>(std::lower_bound(p.b, p.b + p.b_size, p.a[i]) - p.b);
    const pair left{p.a, i, p.b, j, p.to};
    const pair right{p.a + i, p.a_size - i, p.b + j, p.b_size - j, p.to + i + j};
    return R::fork_join(
        c, [left](typename R::ctx d) { return merge<R>(d, left); },
        [right](typename R::ctx d) { return merge<R>(d, right); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
};
static_assert(Workload<mergesort>);

}  // namespace bb
