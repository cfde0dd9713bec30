// Summaries on hand-checked values, on every degenerate input, and the interval's coverage by
// simulation.

#include "harness/stats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/random.hpp"
#include "tests/unit/distributions.hpp"

namespace bb {
namespace {

using sample = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double huge = std::numeric_limits<double>::max();

// 1, 2, ... n in a shuffled order.
sample first_numbers(std::size_t n) {
  sample values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i + 1);
  random_source(n).shuffle(std::span(values));
  return values;
}

TEST(median, is_the_middle) {
  EXPECT_EQ(median(sample{}), std::nullopt);
  EXPECT_EQ(median(sample{7}), 7);
  EXPECT_EQ(median(sample{3, 1}), 2);
  EXPECT_EQ(median(sample{9, 1, 5}), 5);
  EXPECT_EQ(median(sample{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(sample{2, 2, 2, 2}), 2);
  EXPECT_EQ(median(sample{0, 0, 0}), 0);
  EXPECT_EQ(median(sample{huge, huge}), huge);
  EXPECT_EQ(median(first_numbers(101)), 51);
  EXPECT_EQ(median(first_numbers(100)), 50.5);
}

TEST(median, does_not_hide_what_was_not_measured) {
  EXPECT_EQ(median(sample{1, nan, 3}), std::nullopt);
  EXPECT_EQ(median(sample{1, infinity}), std::nullopt);
  EXPECT_EQ(mad(sample{1, nan}), std::nullopt);
  EXPECT_EQ(quantile(sample{1, nan}, 0.5), std::nullopt);
  EXPECT_EQ(quantile(sample{1, 2}, nan), std::nullopt);
  EXPECT_EQ(interval95(sample{1, 2, 3, 4, 5, nan}), std::nullopt);
}

TEST(mad, is_the_median_distance_from_the_median) {
  EXPECT_EQ(mad(sample{}), std::nullopt);
  EXPECT_EQ(mad(sample{5}), 0);
  EXPECT_EQ(mad(sample{1, 3}), 1);
  EXPECT_EQ(mad(sample{1, 1, 2, 2, 4, 6, 9}), 1);  // the textbook example
  EXPECT_EQ(mad(sample{3, 3, 3}), 0);
  EXPECT_EQ(mad(sample{-huge, huge, huge}), std::nullopt);  // beyond the range of double
  EXPECT_EQ(mad(sample{-huge, -huge, huge, huge}), huge);
}

TEST(quantile, is_the_nearest_rank) {
  struct {
    std::size_t n;
    double p50, p90, p99, p999;
  } const cases[] = {
      {1, 1, 1, 1, 1},         {2, 1, 2, 2, 2},
      {3, 2, 3, 3, 3},         {10, 5, 9, 10, 10},
      {99, 50, 90, 99, 99},    {100, 50, 90, 99, 100},
      {101, 51, 91, 100, 101}, {1000, 500, 900, 990, 999},
  };
  for (const auto& c : cases) {
    const auto values = first_numbers(c.n);
    EXPECT_EQ(quantile(values, 0.5), c.p50) << c.n;
    EXPECT_EQ(quantile(values, 0.9), c.p90) << c.n;
    EXPECT_EQ(quantile(values, 0.99), c.p99) << c.n;
    EXPECT_EQ(quantile(values, 0.999), c.p999) << c.n;
    EXPECT_EQ(quantile(values, 0), 1) << c.n;
    EXPECT_EQ(quantile(values, 1), static_cast<double>(c.n)) << c.n;
  }
  EXPECT_EQ(quantile(sample{}, 0.5), std::nullopt);
}

TEST(quantile, rank_is_not_pushed_up_by_rounding) {
  EXPECT_EQ(nearest_rank(100, 0.07), 7u);  // 0.07 * 100 = 7.000000000000001
  for (std::uint64_t n : {100u, 1000u, 100'000u})
    for (std::uint64_t percent = 1; percent < 100; ++percent)
      EXPECT_EQ(nearest_rank(n, static_cast<double>(percent) / 100), n / 100 * percent)
          << n << ' ' << percent;
  EXPECT_EQ(nearest_rank(0, 0.5), 0u);
  EXPECT_EQ(nearest_rank(5, -1), 1u);
  EXPECT_EQ(nearest_rank(5, 2), 5u);
  EXPECT_EQ(nearest_rank(5, nan), 1u);
  EXPECT_EQ(nearest_rank(std::uint64_t{1} << 60, 1), std::uint64_t{1} << 60);
}

TEST(quantile, is_an_observed_value_and_never_falls_as_p_grows) {
  random_source random(1);
  for (std::size_t n = 1; n <= 40; ++n) {
    sample values(n);
    for (auto& v : values) v = testing_tools::stepped(random);
    auto last = *std::min_element(values.begin(), values.end());
    for (double p = 0; p <= 1; p += 1.0 / 64) {
      const auto q = quantile(values, p).value();
      EXPECT_GE(q, last);
      EXPECT_NE(std::find(values.begin(), values.end(), q), values.end());
      last = q;
    }
    EXPECT_EQ(last, *std::max_element(values.begin(), values.end()));
  }
}

TEST(resolved, needs_as_many_observations_as_wilks_says) {
  EXPECT_EQ(observations_needed(0.9), 29u);
  EXPECT_EQ(observations_needed(0.99), 299u);
  EXPECT_EQ(observations_needed(0.999), 2995u);
  EXPECT_EQ(observations_needed(0.9999), 29956u);
  EXPECT_EQ(observations_needed(0.5), 5u);
  EXPECT_EQ(observations_needed(0.01), 299u);
  EXPECT_EQ(observations_needed(0), 1u);
  EXPECT_EQ(observations_needed(1), 1u);
  EXPECT_FALSE(resolved(298, 0.99));
  EXPECT_TRUE(resolved(299, 0.99));
  EXPECT_FALSE(resolved(0, 1));
  EXPECT_FALSE(resolved(1000, 1.5));
  EXPECT_FALSE(resolved(1000, nan));
}

TEST(resolved, quantile_is_nothing_before_and_the_same_after) {
  EXPECT_EQ(resolved_quantile(first_numbers(298), 0.99), std::nullopt);
  EXPECT_EQ(resolved_quantile(first_numbers(299), 0.99), 297);
  EXPECT_EQ(resolved_quantile(first_numbers(28), 0.9), std::nullopt);
  EXPECT_EQ(resolved_quantile(first_numbers(29), 0.9), 27);
  EXPECT_EQ(resolved_quantile(sample{}, 1), std::nullopt);
}

TEST(interval95, takes_the_ranks_of_the_binomial) {
  for (std::size_t n = 0; n < 6; ++n) EXPECT_EQ(interval95(first_numbers(n)), std::nullopt) << n;
  // Ranks as in the tables of the sign test: k-th from below and above.
  const std::pair<std::size_t, double> ranks[] = {{6, 1},  {7, 1},   {8, 1},   {9, 2},
                                                  {10, 2}, {11, 2},  {12, 3},  {15, 4},
                                                  {20, 6}, {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, k] : ranks)
    EXPECT_EQ(interval95(first_numbers(n)), (interval{k, static_cast<double>(n) + 1 - k})) << n;
}

TEST(interval95, of_ties_is_a_point_and_of_very_many_is_narrow) {
  EXPECT_EQ(interval95(sample(7, 3.0)), (interval{3, 3}));
  EXPECT_EQ(interval95(sample(7, 0.0)), (interval{0, 0}));
  const auto many = interval95(first_numbers(100'000)).value();
  EXPECT_NEAR(many.lo, 50'000 - 0.98 * std::sqrt(100'000.0), 2);
  EXPECT_NEAR(many.hi, 50'000 + 0.98 * std::sqrt(100'000.0), 2);
}

// The share of simulated experiments whose interval holds the true median must not fall short of 95
// % by more than chance explains: with 4000 experiments its deviation is sqrt(0.95 x 0.05 / 4000) =
// 0.34 %, and we allow four, 1.4 %, for the 50 combinations that are tried.
TEST(interval95, covers_the_median_of_any_distribution) {
  constexpr int experiments = 4000;
  for (const auto& noise : testing_tools::noises) {
    for (std::size_t n = 6; n <= 15; ++n) {
      random_source random(n);  // seed
      int held = 0;
      for (int i = 0; i < experiments; ++i) {
        sample values(n);
        for (auto& v : values) v = noise.draw(random);
        const auto ci = interval95(values).value();
        held += ci.lo <= 0 && 0 <= ci.hi;
      }
      EXPECT_GE(held / static_cast<double>(experiments), 0.95 - 0.014)
          << noise.name << ", n = seed = " << n;
    }
  }
}

TEST(fit_line, recovers_a_line) {
  const point exact[] = {{1, 5}, {2, 7}, {4, 11}};
  const auto fit = fit_line(exact).value();
  EXPECT_DOUBLE_EQ(fit.slope, 2);
  EXPECT_DOUBLE_EQ(fit.intercept, 3);
  const point scattered[] = {{0, 0}, {1, 2}, {2, 1}, {3, 3}};  // by hand: slope 0.8, intercept 0.3
  EXPECT_DOUBLE_EQ(fit_line(scattered)->slope, 0.8);
  EXPECT_NEAR(fit_line(scattered)->intercept, 0.3, 1e-12);
}

TEST(fit_line, is_nothing_where_there_is_no_line) {
  EXPECT_FALSE(fit_line({}));
  EXPECT_FALSE(fit_line(std::vector<point>{{1, 1}}));
  EXPECT_FALSE(fit_line(std::vector<point>{{1, 1}, {1, 2}}));
  EXPECT_FALSE(fit_line(std::vector<point>{{0.1, 1}, {0.1, 2}, {0.1, 3}}));
  EXPECT_FALSE(fit_line(std::vector<point>{{1, nan}, {2, 2}}));
  EXPECT_FALSE(fit_line(std::vector<point>{{nan, 1}, {2, 2}}));
  EXPECT_FALSE(fit_line(std::vector<point>{{1, infinity}, {2, 2}}));
  EXPECT_EQ(fit_line(std::vector<point>{{1, 4}, {2, 4}})->slope, 0);
}

}  // namespace
}  // namespace bb
