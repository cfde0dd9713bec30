#pragma once
// grain: the balanced tree of `tree`, where each node hashes for --work units. It shows from which grain on a runtime
// pays off, and how it scales when memory does not limit it. Over the values of --work, the time of a node is a line:
// the slope is what a unit costs on that machine (about a nanosecond in `serial`), the intercept what a node costs
// without work.

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/cell_body.hpp"
#include "harness/in_turn.hpp"
#include "harness/workload.hpp"
#include "workloads/tree.hpp"

namespace bb {

struct grain {
  static constexpr std::string_view id = "grain";
  static constexpr std::string_view summary = "tree whose nodes each hash for --work units";
  static constexpr std::string_view operation = "node";
  static constexpr std::string_view needs = "fork/join";
  static constexpr series_spec series{"work", "ns/unit", "ns/node", false};
  static constexpr std::array parameters = {
      param_spec{
          .name = "size", .help = "nodes", .smoke = "100", .full = "1M", .max = 4'000'000'000},
      param_spec{.name = "work",
                 .help = "rounds of hashing per node",
                 .smoke = "1,10",
                 .full = "1,10,100",
                 .max = 1'000'000},
      entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(v.number("size")); }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values& v) { return operations(v) * sizeof(tree::node); }
  static bool large(const values&) { return false; }

  struct input {
    tree::input nodes;
    std::uint64_t work;
    explicit input(const values& v)
        : nodes(plain_tree(v)), work(static_cast<std::uint64_t>(v.number("work"))) {}

   private:
    static values plain_tree(values v) {
      v.set("layout", "preorder");
      v.set("shape", "balanced");
      return v;
    }
  };

  /// One unit is a dependent shift, xor and multiplication, so that no unit overlaps with the next.
  static result hash(std::uint64_t h, std::uint64_t work) {
    for (std::uint64_t i = 0; i < work; ++i) h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15;
    return h;
  }

  /// The nodes hold 1..size, in whatever order they are visited.
  static result expect(const input& in) {
    result sum = 0;
    for (std::uint64_t v = 1; v <= in.nodes.size(); ++v) sum += hash(v, in.work);
    return sum;
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return sum<R>(c, in.nodes.root(), in.nodes.size(), in.work);
  }

 private:
  /// `n` is the size of the subtree; only a runtime with a cut-off reads it.
  template <ForkJoin R>
  static result sum(typename R::ctx c, const tree::node* t, std::uint64_t n, std::uint64_t work) {
    if (below_cutoff<R>(c, n)) return sum<in_turn>({}, t, n, work);
    const result own = hash(t->value, work);
    const tree::node* l = t->left;
    const tree::node* r = t->right;
    if (l != nullptr && r != nullptr)
      return R::fork_join(
          c, [=](typename R::ctx d) { return sum<R>(d, l, (n - 1) / 2, work); },
          [=](typename R::ctx d) { return sum<R>(d, r, n / 2, work); },
          [own](result a, result b) { return own + a + b; });
    if (l != nullptr) return own + sum<R>(c, l, n - 1, work);
    if (r != nullptr) return own + sum<R>(c, r, n - 1, work);
    return own;
  }
};
static_assert(Workload<grain>);

}  // namespace bb
