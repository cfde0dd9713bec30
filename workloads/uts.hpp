#pragma once
// uts: counts the nodes of a tree that is drawn at random as it is searched (Olivier et al., "UTS: An unbalanced tree
// search benchmark", LCPC 2006). Subtrees differ by orders of magnitude and nobody knows beforehand which is large, so
// there is no cut-off; the arms that set one run the naive form.
//
// Two kinds, after the benchmark's T1 and T3L, each also small:
//   t1   geometric: on average 4 children a node, none below a fixed depth. Wide and shallow.
//   t3   binomial: 2000 children at the root, then 5 with a probability just below 1/5, else none. Narrow and deep.
// The random numbers are a splitmix64 hash of the path instead of SHA-1, so a node costs nanoseconds, and the trees
// have the benchmark's distributions but not its sizes.

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/primitives.hpp"
#include "harness/random.hpp"
#include "harness/workload.hpp"

namespace bb {

struct uts {
  static constexpr std::string_view id = "uts";
  static constexpr std::string_view summary = "search of a tree drawn at random, very uneven";
  static constexpr std::string_view operation = "node";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {param_spec{.name = "kind",
                                                       .help = "geometric or binomial tree",
                                                       .what = param_spec::kind::choice,
                                                       .choices = "t1,t3,t1_small,t3_small",
                                                       .smoke = "t1_small,t3_small",
                                                       .full = "t1,t3"},
                                            entry_parameter};

  /// How a tree is drawn, and how many nodes it has.
  struct recipe {
    std::string_view name;
    unsigned depth;  // geometric: nodes at this depth have no children; 0 = binomial
    unsigned root;   // children of the root of a binomial tree
    double likely;   // probability of five children in a binomial tree
    std::uint64_t seed;
    std::uint64_t nodes;
  };
  static constexpr std::array recipes = {
      recipe{"t1", 10, 0, 0, 19, 1077642}, recipe{"t3", 0, 2000, 0.199, 7, 385726},
      recipe{"t1_small", 4, 0, 0, 19, 258}, recipe{"t3_small", 0, 100, 0.18, 7, 571}};

  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(input(v).tree.nodes); }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values&) { return false; }

  struct input {
    recipe tree;
    explicit input(const values& v) : tree(recipes.front()) {
      for (const recipe& r : recipes)
        if (r.name == v.word("kind")) tree = r;
    }
  };

  static result expect(const input& in) { return in.tree.nodes; }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return search<R>(c, in.tree, root(in.tree));
  }

  /// A node is its depth and a hash of the way to it.
  struct node {
    std::uint64_t hash;
    unsigned depth;
  };
  static node root(const recipe& r) {
    std::uint64_t state = r.seed;
    return {splitmix64(state), 0};
  }
  static node child(node parent, unsigned number) {
    std::uint64_t state = parent.hash ^ (number * 0xd6e8feb86659fd93);
    return {splitmix64(state), parent.depth + 1};
  }
  static unsigned children(const recipe& r, node n) {
    const double drawn = static_cast<double>(n.hash >> 11) * 0x1p-53;
    if (r.depth == 0) return n.depth == 0 ? r.root : drawn < r.likely ? 5 : 0;
    return n.depth < r.depth ? geometric(drawn) : 0;
  }

 private:
  /// Geometric with mean 4, at most 100: the number k with 1 - 0.8^k <= drawn < 1 - 0.8^(k+1), without logarithms,
  /// whose last digit differs between libraries.
  static unsigned geometric(double drawn) {
    unsigned k = 0;
    for (double left = 0.8; 1 - left <= drawn && k < 100; left *= 0.8) ++k;
    return k;
  }

  template <ForkJoin R>
  static result search(typename R::ctx c, const recipe& r, node n) {
    const unsigned count = children(r, n);
    return count == 0 ? 1 : 1 + range<R>(c, r, n, 0, count);
  }

  /// The subtrees of `count` neighbouring children.
  template <ForkJoin R>
  static result range(typename R::ctx c, const recipe& r, node parent, unsigned first,
                      unsigned count) {
    if (count == 1) return search<R>(c, r, child(parent, first));
    const unsigned left = count / 2;
    return R::fork_join(
        c, [=, &r](typename R::ctx d) { return range<R>(d, r, parent, first, left); },
        [=, &r](typename R::ctx d) { return range<R>(d, r, parent, first + left, count - left); },
        [](result a, result b) { return a + b; });
  }
};
static_assert(Workload<uts>);

}  // namespace bb
