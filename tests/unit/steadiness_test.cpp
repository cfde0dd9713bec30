// The steadiness test on made-up trials: what must be seen is seen, what is steady is left alone, at stated rates.

#include "harness/steadiness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "harness/random.hpp"
#include "tests/unit/distributions.hpp"

namespace bb {
namespace {

using sample = std::vector<double>;
using testing_tools::normal;

// n samples of 100 (1 + noise) times a course over the trial, given from 0 (first sample) to 1 (last).
sample trial(std::size_t n, double deviation, double (*noise)(random_source&),
             random_source& random, const std::function<double(double)>& course) {
  sample values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = 100 * course(static_cast<double>(i) / static_cast<double>(n - 1)) *
                std::exp(std::clamp(deviation * noise(random), -50.0, 50.0));
  return values;
}

double flat(double) { return 1; }

// The share of `experiments` trials that get `label`.
double share(steadiness label, std::size_t n, double deviation, double (*noise)(random_source&),
             std::uint64_t seed, const std::function<double(double)>& course, int experiments) {
  random_source random(seed);
  int got = 0;
  for (int i = 0; i < experiments; ++i)
    got += test_steadiness(trial(n, deviation, noise, random, course)).value().label == label;
  return got / static_cast<double>(experiments);
}

TEST(steadiness, labels_are_words) {
  EXPECT_EQ(to_text(steadiness::flat), "flat");
  EXPECT_EQ(to_text(steadiness::warming), "warming");
  EXPECT_EQ(to_text(steadiness::no_steady_state), "no steady state");
}

TEST(steadiness, is_nothing_where_samples_cannot_tell) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(test_steadiness({}));
  EXPECT_FALSE(test_steadiness(sample(9, 1)));
  EXPECT_FALSE(test_steadiness(sample(10, 0)));
  EXPECT_FALSE(test_steadiness(sample(10, -1)));
  sample broken(20, 1);
  broken[3] = nan;
  EXPECT_FALSE(test_steadiness(broken));
  EXPECT_FALSE(test_steadiness(
      sample{1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e300, 1e300, 1e300, 1e300}));
}

TEST(steadiness, equal_samples_are_flat) {
  const auto s = test_steadiness(sample(50, 7)).value();
  EXPECT_EQ(s.label, steadiness::flat);
  EXPECT_EQ(s.trend, 0);
  EXPECT_EQ(s.step, 0);
}

TEST(steadiness, measures_the_change_as_a_part_of_the_median) {
  sample falling(21), stepping(20);
  for (std::size_t i = 0; i < 21; ++i)
    falling[i] = 110 - static_cast<double>(i);  // 110 to 90, median 100
  for (std::size_t i = 0; i < 20; ++i) stepping[i] = i < 8 ? 120 : 100;
  const auto trend = test_steadiness(falling).value();
  EXPECT_EQ(trend.label, steadiness::warming);
  EXPECT_NEAR(trend.trend, -0.20, 1e-12);
  const auto step = test_steadiness(stepping).value();
  EXPECT_EQ(step.label, steadiness::warming);
  EXPECT_NEAR(step.step, -0.20, 1e-12);
}

TEST(steadiness, a_rise_is_no_warming) {
  random_source random(1);
  const auto label = [&](const std::function<double(double)>& course) {
    return test_steadiness(trial(60, 0.01, normal, random, course)).value().label;
  };
  EXPECT_EQ(label([](double t) { return 1 + 0.2 * t; }), steadiness::no_steady_state);
  EXPECT_EQ(label([](double t) { return t < 0.5 ? 1 : 1.1; }), steadiness::no_steady_state);
  EXPECT_EQ(label([](double t) { return t < 0.3 || t > 0.7 ? 1.2 : 1; }),
            steadiness::no_steady_state);  // falls, rises
  EXPECT_EQ(label([](double t) { return 1 + std::exp(-10 * t); }),
            steadiness::warming);  // as caches do
}

TEST(steadiness, a_significant_change_that_does_not_matter_is_flat) {
  sample creeping(200);
  for (std::size_t i = 0; i < 200; ++i)
    creeping[i] = 100 - 0.01 * static_cast<double>(i);  // 2 %, without any noise
  EXPECT_EQ(test_steadiness(creeping)->label, steadiness::flat);
  EXPECT_EQ(test_steadiness(creeping, {.practical = 0.01})->label, steadiness::warming);
}

TEST(steadiness, outliers_alone_are_no_change) {
  sample spiky(40, 100);
  for (std::size_t i = 0; i < 40; ++i) spiky[i] += static_cast<double>(i % 3);
  spiky[1] = spiky[20] = spiky[39] = 1e6;
  EXPECT_EQ(test_steadiness(spiky)->label, steadiness::flat);
}

TEST(steadiness, many_samples_are_tested_as_medians_of_neighbours) {
  random_source random(2);
  for (const std::size_t n : {256u, 257u, 511u, 513u, 10'000u}) {
    const auto fall = trial(n, 0.02, normal, random, [](double t) { return t < 0.4 ? 1.1 : 1; });
    EXPECT_EQ(test_steadiness(fall)->label, steadiness::warming) << n;
    EXPECT_EQ(test_steadiness(trial(n, 0.02, normal, random, flat))->label, steadiness::flat) << n;
  }
}

// Two tests at 1 % each may take 2 % of steady trials for changing; 2000 trials scatter by 0.31 %, and we allow three
// of those. The noise is wide enough for the practical threshold not to hide false alarms.
TEST(steadiness, false_alarms_are_rarer_than_two_percent) {
  for (const auto& noise : testing_tools::noises)
    for (const std::size_t n : {10u, 20u, 50u}) {
      const auto alarms = 1 - share(steadiness::flat, n, 0.2, noise.draw, n, flat, 2000);
      EXPECT_LE(alarms, 0.02 + 0.0093) << noise.name << ", n = seed = " << n;
    }
}

TEST(steadiness, quiet_samples_never_alarm) {
  for (const std::size_t n : {10u, 30u, 100u})
    EXPECT_EQ(share(steadiness::flat, n, 0.005, normal, n, flat, 500), 1) << "n = seed = " << n;
}

// Power: the share of changes by 10 % that are found among samples that scatter by 3 %.
TEST(steadiness, changes_are_found) {
  const auto drift = [](double t) { return 1.1 - 0.1 * t; };
  const auto step = [](double t) { return t < 0.5 ? 1.1 : 1; };
  const auto early = [](double t) { return t < 0.25 ? 1.1 : 1; };
  const auto late_rise = [](double t) { return t < 0.7 ? 1 : 1.1; };
  for (const auto noise : {testing_tools::normal, testing_tools::skewed}) {
    EXPECT_GE(share(steadiness::warming, 30, 0.03, noise, 1, drift, 300), 0.80);
    EXPECT_GE(share(steadiness::warming, 60, 0.03, noise, 2, drift, 300), 0.95);
    EXPECT_GE(share(steadiness::warming, 30, 0.03, noise, 3, step, 300), 0.90);
    EXPECT_GE(share(steadiness::warming, 60, 0.03, noise, 4, early, 300), 0.90);
    EXPECT_GE(share(steadiness::no_steady_state, 60, 0.03, noise, 5, late_rise, 300), 0.95);
  }
}

// ---- cells

std::vector<std::optional<trial_steadiness>> cell(int flat, int warming, int unsteady,
                                                  int untested = 0) {
  std::vector<std::optional<trial_steadiness>> trials;
  for (int i = 0; i < flat; ++i) trials.push_back(trial_steadiness{steadiness::flat, 0, 0});
  for (int i = 0; i < warming; ++i) trials.push_back(trial_steadiness{steadiness::warming, -1, -1});
  for (int i = 0; i < unsteady; ++i)
    trials.push_back(trial_steadiness{steadiness::no_steady_state, 1, 1});
  trials.resize(trials.size() + static_cast<std::size_t>(untested));
  return trials;
}

TEST(cell_steadiness, one_odd_trial_of_many_is_chance) {
  EXPECT_EQ(combine_steadiness(cell(0, 0, 0)), std::nullopt);
  EXPECT_EQ(combine_steadiness(cell(0, 0, 0, 7)), std::nullopt);
  EXPECT_EQ(combine_steadiness(cell(7, 0, 0)), steadiness::flat);
  EXPECT_EQ(combine_steadiness(cell(6, 1, 0)), steadiness::flat);
  EXPECT_EQ(combine_steadiness(cell(6, 0, 1)), steadiness::flat);
  EXPECT_EQ(combine_steadiness(cell(3, 0, 1)), steadiness::flat);
  EXPECT_EQ(combine_steadiness(cell(18, 2, 0)), steadiness::flat);
}

TEST(cell_steadiness, several_odd_trials_are_not) {
  EXPECT_EQ(combine_steadiness(cell(5, 2, 0)), steadiness::warming);
  EXPECT_EQ(combine_steadiness(cell(5, 1, 1)), steadiness::no_steady_state);
  EXPECT_EQ(combine_steadiness(cell(0, 5, 2)), steadiness::warming);
  EXPECT_EQ(combine_steadiness(cell(0, 3, 4)), steadiness::no_steady_state);
  EXPECT_EQ(combine_steadiness(cell(15, 5, 0)), steadiness::warming);
}

TEST(cell_steadiness, of_few_trials_one_is_enough) {
  EXPECT_EQ(combine_steadiness(cell(0, 1, 0)), steadiness::warming);
  EXPECT_EQ(combine_steadiness(cell(1, 0, 1)), steadiness::no_steady_state);
  EXPECT_EQ(combine_steadiness(cell(2, 1, 0)), steadiness::warming);
  EXPECT_EQ(combine_steadiness(cell(2, 1, 0, 10)), steadiness::warming);
}

TEST(cell_steadiness, false_alarms_are_rarer_than_one_percent) {
  random_source random(5);  // seed
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::optional<trial_steadiness>> trials;
    for (int k = 0; k < 7; ++k)
      trials.push_back(test_steadiness(trial(20, 0.2, normal, random, flat)));
    alarms += combine_steadiness(trials) != steadiness::flat;
  }
  EXPECT_LE(alarms, 10);
}

}  // namespace
}  // namespace bb
