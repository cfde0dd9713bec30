// The line through the cells of a series: exact data give back slope and intercept, and only like is joined with like.

#include "harness/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bb {
namespace {

/// A measured cell of `forks` forks whose runs take intercept + slope x forks, a hair more in each later round.
cell_result cell(const std::string& runtime, std::int64_t forks, double slope, double intercept,
                 unsigned rounds, bool per_run = true) {
  cell_result c;
  c.workload = "fork";
  c.params.set("forks", forks);
  c.params.set("entry", std::string("each"));
  c.runtime = runtime;
  c.variant = "generic";
  for (unsigned round = 0; round < rounds; ++round) {
    const double x = static_cast<double>(forks), run = intercept + (slope + 0.001 * round) * x;
    c.samples.push_back({per_run ? run / x : run, round, round, 0, false});
    c.samples.push_back({1e9, round, round, 0, true});
    c.trials.push_back({{"series",
                         {{"parameter", "forks"},
                          {"slope", "ns/fork"},
                          {"intercept", "ns/run"},
                          {"per_run", per_run}}}});
  }
  return c;
}

TEST(series, gives_back_the_line_that_made_the_times) {
  run_result r;
  for (const std::int64_t n : {1000, 2000, 4000}) r.cells.push_back(cell("a", n, 2.5, 300, 7));
  const auto fits = fit_series(r);
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_NEAR(fits[0].slope, 2.503, 1e-9);
  EXPECT_NEAR(fits[0].intercept, 300, 1e-6);
  ASSERT_TRUE(fits[0].slope95.has_value());
  EXPECT_NEAR(fits[0].slope95->lo, 2.5, 1e-9);
  EXPECT_NEAR(fits[0].slope95->hi, 2.506, 1e-9);
  EXPECT_EQ(fits[0].points, 3u);
}

TEST(series, takes_the_time_of_an_operation_where_the_workload_says_so) {
  run_result r;
  for (const std::int64_t n : {1, 10}) r.cells.push_back(cell("a", n, 1.5, 8, 1, false));
  const auto fits = fit_series(r);
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_NEAR(fits[0].slope, 1.5, 1e-9);
  EXPECT_NEAR(fits[0].intercept, 8, 1e-9);
  EXPECT_FALSE(fits[0].slope95.has_value());
}

TEST(series, keeps_runtimes_threads_and_other_parameters_apart) {
  run_result r;
  for (const std::int64_t n : {10, 20}) {
    r.cells.push_back(cell("a", n, 1, 0, 1));
    r.cells.push_back(cell("b", n, 2, 0, 1));
    r.cells.push_back(cell("a", n, 3, 0, 1));
    r.cells.back().threads = 2;
    r.cells.push_back(cell("a", n, 4, 0, 1));
    r.cells.back().params.set("entry", std::string("once"));
  }
  std::vector<double> slopes;
  for (const auto& f : fit_series(r)) slopes.push_back(f.slope);
  EXPECT_THAT(slopes, testing::Pointwise(testing::DoubleNear(1e-9), {1.0, 2.0, 3.0, 4.0}));
}

TEST(series, draws_no_line_through_one_point_or_through_cells_without_samples) {
  run_result r;
  r.cells.push_back(cell("a", 10, 1, 0, 1));
  r.cells.push_back(cell("a", 20, 1, 0, 1));
  r.cells.back().state = status::timeout;
  EXPECT_TRUE(fit_series(r).empty());
  EXPECT_EQ(series_table(r), "");
}

TEST(series, stands_in_results_and_tables_with_its_units) {
  run_result r;
  for (const std::int64_t n : {10, 20}) r.cells.push_back(cell("a", n, 2, 100, 1));
  const json j = to_json(r).at("series").at(0);
  EXPECT_EQ(j.at("slope_unit"), "ns/fork");
  EXPECT_NEAR(j.at("slope").get<double>(), 2, 1e-9);
  EXPECT_TRUE(j.at("slope95").is_null());
  EXPECT_THAT(series_table(r), testing::HasSubstr("fork  entry=each  line over forks"));
  EXPECT_THAT(series_table(r), testing::HasSubstr("ns/fork"));
}

}  // namespace
}  // namespace bb
