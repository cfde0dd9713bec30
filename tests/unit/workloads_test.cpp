// Each workload's oracle against a computation that shares nothing with it, and each body against the oracle: over
// plain calls, over calls in the other order, and with a cut-off.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "harness/in_turn.hpp"
#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

/// Right before left, counting forks, with a cut-off: a body must not depend on the order.
struct reversed {
  static constexpr std::string_view id = "reversed", summary = "";
  static constexpr bool ours = false;
  static std::string version() { return ""; }
  struct ctx {
    std::uint64_t* forks;
    std::uint64_t bound;
  };
  explicit reversed(const config&) {}
  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }
  static std::uint64_t cutoff(ctx c) { return c.bound; }
  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    if (c.forks != nullptr) ++*c.forks;
    auto b = right(c);
    return combine(left(c), std::move(b));
  }
};

values with(std::initializer_list<std::pair<std::string_view, value>> items) {
  values v;
  for (const auto& [name, item] : items) v.set(name, item);
  return v;
}

/// Forks of one run by `reversed`, after its answers and those of plain calls were compared with the oracle.
template <class W>
std::uint64_t checked_forks(const values& v, std::uint64_t bound = 0) {
  const typename W::input in(v);
  const auto expected = W::expect(in);
  EXPECT_TRUE((W::template run<in_turn>({}, in) == expected)) << W::id << " " << v.label();
  std::uint64_t forks = 0;
  EXPECT_TRUE((W::template run<reversed>({&forks, bound}, in) == expected))
      << W::id << " " << v.label();
  return forks;
}

/// All smoke values of a workload, as `bb --smoke` runs them.
template <class W>
std::vector<values> smoke_values() {
  std::vector<std::vector<value>> lists;
  for (const param_spec& p : W::parameters) lists.push_back(parse_values(p, p.smoke));
  return combinations(W::parameters, lists);
}

template <class W>
void check_smoke() {
  for (const values& v : smoke_values<W>()) {
    EXPECT_GE(W::operations(v), 1) << W::id;
    checked_forks<W>(v);
    checked_forks<W>(v, 10);
    checked_forks<W>(v, 1'000'000);
  }
}

template <class... W>
void check_all_smoke(workload_list<W...>) {
  (check_smoke<W>(), ...);
}

TEST(workloads, agree_with_their_oracles_at_smoke_size_in_any_order_and_with_any_cutoff) {
  check_all_smoke(all_workloads{});
}

TEST(fork_workload, forks_exactly_as_often_as_asked) {
  for (const std::int64_t n : {1, 2, 3, 7, 100, 1001})
    EXPECT_EQ(checked_forks<fork_series>(with({{"forks", n}})), static_cast<std::uint64_t>(n));
  EXPECT_EQ(checked_forks<fork_series>(with({{"forks", 100}}), 1000), 0u);
}

TEST(grain_workload, hashes_every_node_as_long_as_asked) {
  std::uint64_t sum = 0;
  for (std::uint64_t v = 1; v <= 3; ++v) {
    std::uint64_t h = v;
    for (int unit = 0; unit < 2; ++unit) h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    sum += h;
  }
  const values v = with({{"size", 3}, {"work", 2}});
  EXPECT_EQ(grain::expect(grain::input(v)), sum);
  EXPECT_EQ(checked_forks<grain>(v), 1u);
}

TEST(fib_workload, counts_calls_as_the_definition_makes_them) {
  const auto count = [](auto&& self, int n) -> std::pair<std::uint64_t, std::uint64_t> {
    if (n < 2) return {static_cast<std::uint64_t>(n), 1};
    const auto a = self(self, n - 1), b = self(self, n - 2);
    return {a.first + b.first, a.second + b.second + 1};
  };
  for (const std::int64_t n : {1, 2, 3, 10, 20}) {
    const auto [number, calls] = count(count, static_cast<int>(n));
    const values v = with({{"n", n}});
    EXPECT_EQ(fib::expect(fib::input(v)), number);
    EXPECT_EQ(fib::operations(v), static_cast<double>(calls));
    EXPECT_EQ(checked_forks<fib>(v), calls / 2);
  }
}

TEST(skynet_workload, sums_the_numbers_of_its_leaves_with_nine_forks_a_node) {
  std::vector<std::uint64_t> leaves(1000);
  std::iota(leaves.begin(), leaves.end(), 0u);
  const values v = with({{"levels", 3}});
  EXPECT_EQ(skynet::expect(skynet::input(v)),
            std::accumulate(leaves.begin(), leaves.end(), std::uint64_t{0}));
  EXPECT_EQ(checked_forks<skynet>(v), 999u);
}

/// Row by row, each queen's column in a list: no bit masks.
std::uint64_t solutions(std::vector<int>& columns, int board, std::uint64_t& placed) {
  const int row = static_cast<int>(columns.size());
  if (row == board) return 1;
  std::uint64_t found = 0;
  for (int column = 0; column < board; ++column) {
    bool attacked = false;
    for (int r = 0; r < row; ++r)
      attacked |= columns[r] == column || std::abs(columns[r] - column) == row - r;
    if (attacked) continue;
    ++placed;
    columns.push_back(column);
    found += solutions(columns, board, placed);
    columns.pop_back();
  }
  return found;
}

TEST(nqueens_workload, finds_what_a_search_without_masks_finds) {
  for (std::int64_t board = 1; board <= 9; ++board) {
    std::vector<int> columns;
    std::uint64_t placed = 0;
    const auto found = solutions(columns, static_cast<int>(board), placed);
    const values v = with({{"board", board}});
    EXPECT_EQ(nqueens::expect(nqueens::input(v)), found);
    EXPECT_EQ(nqueens::operations(v), static_cast<double>(placed));
    checked_forks<nqueens>(v);
  }
}

TEST(matmul_workload, multiplies_as_the_definition_says) {
  for (const std::int64_t order : {1, 2, 31, 32, 33, 65, 100}) {
    const matmul::input in(with({{"order", order}}));
    const std::size_t n = in.order;
    std::uint64_t weighed = 0;
    matmul::run<in_turn>({}, in);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += in.a[i * n + k] * in.b[k * n + j];
        ASSERT_EQ(in.product[i * n + j], sum) << order << ": " << i << ", " << j;
        weighed += (i + 1) * (2 * j + 1) * static_cast<std::uint64_t>(sum);
      }
    EXPECT_EQ(matmul::expect(in), weighed);
  }
}

TEST(mergesort_workload, leaves_the_keys_in_order_and_none_out) {
  for (const std::int64_t keys : {1, 2, 32, 33, 1000, 20'000}) {
    const mergesort::input in(with({{"keys", keys}}));
    EXPECT_EQ(mergesort::run<reversed>({}, in), mergesort::expect(in));
    EXPECT_TRUE(std::is_sorted(in.sorted.begin(), in.sorted.end()));
    EXPECT_EQ(std::multiset<mergesort::key>(in.keys.begin(), in.keys.end()),
              std::multiset<mergesort::key>(in.sorted.begin(), in.sorted.end()));
  }
}

TEST(integrate_workload, comes_near_the_sum_of_many_thin_strips) {
  double strips = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = (i + 0.5) / 10000;
    strips += (x * x + 1) * x / 10000;
  }
  const integrate::input in(with({{"digits", 2}}));
  const auto found = integrate::run<in_turn>({}, in);
  EXPECT_NEAR(found.area / strips, 1, 1e-6);
  EXPECT_EQ(checked_forks<integrate>(with({{"digits", 2}})), found.intervals - 1);
  EXPECT_FALSE((integrate::result{found.area, found.intervals - 1} == integrate::expect(in)));
}

TEST(uts_workload, has_the_nodes_that_a_search_with_a_list_finds) {
  for (const auto& recipe : uts::recipes) {
    std::uint64_t nodes = 0;
    for (std::vector<uts::node> open{uts::root(recipe)}; !open.empty(); ++nodes) {
      const uts::node n = open.back();
      open.pop_back();
      for (unsigned i = 0; i < uts::children(recipe, n); ++i) open.push_back(uts::child(n, i));
    }
    EXPECT_EQ(recipe.nodes, nodes) << recipe.name;
  }
}

TEST(uts_workload, draws_the_children_that_its_distributions_promise) {
  std::uint64_t geometric = 0, with_five = 0;
  constexpr unsigned draws = 100'000;
  for (unsigned i = 0; i < draws; ++i) {
    const uts::node n = uts::child(uts::root(uts::recipes[0]), i);
    geometric += uts::children(uts::recipes[0], n);
    with_five += uts::children(uts::recipes[1], n) == 5;
  }
  EXPECT_NEAR(static_cast<double>(geometric) / draws, 4, 0.1);
  EXPECT_NEAR(static_cast<double>(with_five) / draws, 0.199, 0.01);
}

TEST(fanout_workload, runs_every_task_once) {
  const values v = with({{"tasks", 1000}});
  std::uint64_t sum = 0;
  for (std::uint64_t i = 1000; i-- > 0;) {
    const std::uint64_t h = i * 0x9e3779b97f4a7c15u;
    sum += h ^ (h >> 29);
  }
  EXPECT_EQ(fanout::expect(fanout::input(v)), sum);
  EXPECT_EQ(checked_forks<fanout>(v), 999u);
}

}  // namespace
}  // namespace bb
