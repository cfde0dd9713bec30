#pragma once
// tree: the sum of the values of a binary tree, the benchmark by which Spice (github.com/judofyr/spice) and Rainey
// ("The best multicore-parallelization refactoring you've never heard of", 2023) judge fine-grained fork/join: a node
// costs about a nanosecond, so nothing hides the scheduler.
//
// The tree has exactly `size` nodes of 24 bytes in one arena. A balanced node of n nodes below and including itself has
// children of floor((n-1)/2) and ceil((n-1)/2); a skewed one gives 9/10 of the rest to the left. A node with two
// children forks once, so about half the nodes do: ns per *node*, the unit here, is half of ns per fork.

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/pages.hpp"
#include "harness/params.hpp"
#include "harness/primitives.hpp"
#include "harness/workload.hpp"

namespace bb {

struct tree {
  static constexpr std::string_view id = "tree";
  static constexpr std::string_view summary =
      "sum of a binary tree, a fork at every node with two children";
  static constexpr std::string_view operation = "node";
  static constexpr std::string_view needs = "fork/join";
  static constexpr param_spec entry_both = [] {
    param_spec p = entry_parameter;
    p.smoke = "each,once";
    return p;
  }();
  static constexpr std::array parameters = {param_spec{.name = "size",
                                                       .help = "nodes",
                                                       .smoke = "1,3,1K",
                                                       .full = "1K,100M",
                                                       .max = 4'000'000'000},
                                            param_spec{.name = "layout",
                                                       .help = "order of the nodes in memory",
                                                       .what = param_spec::kind::choice,
                                                       .choices = "preorder,shuffled",
                                                       .smoke = "preorder,shuffled",
                                                       .full = "preorder"},
                                            param_spec{.name = "shape",
                                                       .help = "how a node's rest is split",
                                                       .what = param_spec::kind::choice,
                                                       .choices = "balanced,skewed",
                                                       .smoke = "balanced,skewed",
                                                       .full = "balanced"},
                                            entry_both};

  struct node {
    std::uint64_t value;
    const node* left;
    const node* right;
  };
  static_assert(sizeof(node) == 24);

  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(v.number("size")); }
  static double bytes_per_operation(const values&) { return sizeof(node); }
  static double memory_bytes(const values& v) {
    const double index = v.word("layout") == "shuffled" ? sizeof(std::uint32_t) : 0;
    return operations(v) * (sizeof(node) + index);
  }
  static bool large(const values& v) { return operations(v) > 20e6; }

  /// Values are 1..n in pre-order, whatever the layout, so that a node visited twice or never changes the sum.
  class input {
   public:
    explicit input(const values& v)
        : size_(static_cast<std::uint64_t>(v.number("size"))),
          skewed_(v.word("shape") == "skewed"),
          arena_(size_ * sizeof(node)) {
      if (v.word("layout") == "shuffled") shuffle();
      root_ = build(0, size_);
      place_ = {};
    }
    const node* root() const { return root_; }
    std::uint64_t size() const { return size_; }
    bool skewed() const { return skewed_; }
    std::pair<std::uint64_t, std::uint64_t> split(std::uint64_t n) const {
      const std::uint64_t rest = n - 1,
                          left = skewed_ ? rest / 10 * 9 + rest % 10 * 9 / 10 : rest / 2;
      return {left, rest - left};
    }
    std::span<const std::byte> memory() const { return arena_.bytes(); }

   private:
    // Depth: log2 n balanced, log n / log(10/9) skewed (175 for 1e8), so recursion is safe.
    const node* build(std::uint64_t first, std::uint64_t n) {
      if (n == 0) return nullptr;
      const auto [left, right] = split(n);
      node* t = reinterpret_cast<node*>(arena_.data()) + (place_.empty() ? first : place_[first]);
      t->value = first + 1;
      t->left = build(first + 1, left);
      t->right = build(first + 1 + left, right);
      return t;
    }
    // Fisher-Yates with splitmix64 (Steele, Lea, Flood, OOPSLA 2014) from a fixed seed: the same order in every round.
    void shuffle() {
      place_.resize(size_);
      std::iota(place_.begin(), place_.end(), std::uint32_t{0});
      std::uint64_t state = 0x5eed;
      for (std::uint64_t i = size_; i > 1; --i) {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        std::swap(place_[i - 1], place_[(z ^ (z >> 31)) % i]);
      }
    }

    std::uint64_t size_;
    bool skewed_;
    pages arena_;
    std::vector<std::uint32_t> place_;
    const node* root_ = nullptr;
  };

  static result expect(const input& in) {
    const std::uint64_t n = in.size();
    return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
  }

  /// The plain recursion: the baseline, and what a body runs below its cut-off.
  static result serial(const node* t) {
    result sum = t->value;
    if (t->left != nullptr) sum += serial(t->left);
    if (t->right != nullptr) sum += serial(t->right);
    return sum;
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    if constexpr (Cutoff<R>)
      if (const std::uint64_t bound = R::cutoff(c); bound > 1)
        return sum_above<R>(c, in, in.root(), in.size(), bound);
    return sum<R>(c, in.root());
  }

 private:
  template <ForkJoin R>
  static result sum(typename R::ctx c, const node* t) {
    // Reads each field where it is used: read once at the top, the additions of all ways out are merged into one by
    // clang, and the right branch is no loop any more (1.5 instead of 0.95 ns per node).
    if (t->left != nullptr && t->right != nullptr)
      return R::fork_join(
          c, [l = t->left](typename R::ctx d) { return sum<R>(d, l); },
          [r = t->right](typename R::ctx d) { return sum<R>(d, r); },
          [value = t->value](result a, result b) { return value + a + b; });
    if (t->left != nullptr) return t->value + sum<R>(c, t->left);
    if (t->right != nullptr) return t->value + sum<R>(c, t->right);
    return t->value;
  }

  /// `n` is carried down, since a pointer tree does not know the size of its subtrees.
  template <Cutoff R>
  static result sum_above(typename R::ctx c, const input& in, const node* t, std::uint64_t n,
                          std::uint64_t bound) {
    const auto [left, right] = in.split(n);
    if (n <= bound || left == 0 || right == 0) return serial(t);
    return t->value + R::fork_join(
                          c,
                          [&in, t = t->left, n = left, bound](typename R::ctx d) {
                            return sum_above<R>(d, in, t, n, bound);
                          },
                          [&in, t = t->right, n = right, bound](typename R::ctx d) {
                            return sum_above<R>(d, in, t, n, bound);
                          },
                          [](result a, result b) { return a + b; });
  }
};
static_assert(Workload<tree>);

}  // namespace bb
