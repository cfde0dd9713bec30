// The ratio of two cells: exact where it must be, nothing where there is none, and its interval held to 95 % both by
// simulation and on stored samples of cells that are the same (A/A).

#include "harness/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/clock.hpp"
#include "harness/random.hpp"
#include "tests/unit/distributions.hpp"

namespace bb {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

trial_samples constant(std::size_t trials, double value) {
  return {trials, std::vector<double>(5, value)};
}

// Whether a 95 % interval about the ratio says that the cells differ.
bool holds(const ratio_estimate& e, double ratio) {
  return e.ci95->lo <= ratio && ratio <= e.ci95->hi;
}

TEST(ratio, is_that_of_the_medians_of_trial_medians) {
  const trial_samples base{{1, 2, 9}, {4, 4, 4}, {3, 3, 3}};    // medians 2, 4, 3
  const trial_samples other{{6, 6, 6}, {7, 1, 9}, {5, 5, 99}};  // medians 6, 7, 5
  EXPECT_EQ(ratio_of_medians(base, other).value().ratio, 2);
  EXPECT_EQ(ratio_of_medians(other, base).value().ratio, 0.5);
}

TEST(ratio, has_an_interval_from_six_trials_on_both_sides) {
  EXPECT_FALSE(ratio_of_medians(constant(5, 1), constant(9, 1))->ci95);
  EXPECT_FALSE(ratio_of_medians(constant(9, 1), constant(5, 1))->ci95);
  EXPECT_TRUE(ratio_of_medians(constant(6, 1), constant(6, 1))->ci95);
  EXPECT_FALSE(ratio_of_medians({{5}}, {{10}})->ci95);
  EXPECT_EQ(ratio_of_medians({{5}}, {{10}})->ratio, 2);
}

TEST(ratio, of_ties_is_a_point) {
  const auto e = ratio_of_medians(constant(7, 2), constant(7, 3)).value();
  EXPECT_EQ(e.ratio, 1.5);
  EXPECT_EQ(e.ci95, (interval{1.5, 1.5}));
  EXPECT_EQ(ratio_of_medians(constant(7, 2), constant(7, 0))->ci95, (interval{0, 0}));
}

TEST(ratio, is_nothing_where_it_makes_no_sense) {
  const auto good = constant(7, 1);
  EXPECT_FALSE(ratio_of_medians({}, good));
  EXPECT_FALSE(ratio_of_medians(good, {}));
  EXPECT_FALSE(ratio_of_medians({{1}, {}}, good));
  EXPECT_FALSE(ratio_of_medians(good, {{}}));
  EXPECT_FALSE(ratio_of_medians({{1, nan}}, good));
  EXPECT_FALSE(ratio_of_medians(good, {{1, infinity}}));
  EXPECT_FALSE(ratio_of_medians({{0, 1, 1}}, good));
  EXPECT_FALSE(ratio_of_medians(good, {{-1, 1, 1}}));
  EXPECT_FALSE(ratio_of_medians({{5e-324}}, {{1e300}}));  // beyond the range of double
  EXPECT_FALSE(ratio_of_medians(good, constant(8, 1), {.paired = true}));
}

TEST(ratio, one_seed_gives_one_interval) {
  random_source random(1);
  trial_samples base(7), other(7);
  for (std::size_t i = 0; i < 7; ++i)
    for (int k = 0; k < 10; ++k)
      base[i].push_back(1 + random.unit()), other[i].push_back(1 + random.unit());
  EXPECT_EQ(ratio_of_medians(base, other)->ci95, ratio_of_medians(base, other)->ci95);
  EXPECT_NE(ratio_of_medians(base, other)->ci95, ratio_of_medians(base, other, {.seed = 2})->ci95);
  EXPECT_TRUE(ratio_of_medians(base, other, {.resamples = 0})->ci95);  // at least one
}

TEST(ratio, pairing_takes_out_what_a_round_does_to_both) {
  random_source random(4);
  trial_samples base, other;
  for (int i = 0; i < 12; ++i) {
    const double round = std::exp(testing_tools::normal(random));
    base.push_back({10 * round});
    other.push_back({11 * round});
  }
  const auto width = [](const ratio_estimate& e) { return e.ci95->hi - e.ci95->lo; };
  const auto paired = ratio_of_medians(base, other, {.paired = true}).value();
  EXPECT_NEAR(paired.ratio, 1.1, 1e-9);
  EXPECT_NEAR(width(paired), 0, 1e-9);
  EXPECT_GT(width(ratio_of_medians(base, other).value()), 0.5);
}

TEST(ratio, is_fast_enough_for_a_table_of_cells) {
  const auto begin = now_ns();
  ratio_of_medians(constant(7, 1), trial_samples(7, std::vector<double>(500, 1.0)));
  EXPECT_LT(now_ns() - begin,
            5'000'000'000);  // some 30 ms in a release build; generous for sanitizers
}

// ---- coverage

struct world {
  const char* name;
  double between, within,
      round;  // relative deviations of trials, samples, and rounds (shared by both cells)
  std::size_t trials, samples;
  bool paired;
};

std::vector<double> trial(const world& w, double center, double (*noise)(random_source&),
                          random_source& random) {
  const double level = center + w.between * testing_tools::normal(random);
  std::vector<double> samples(w.samples);
  for (auto& v : samples) v = 100 * std::exp(level + w.within * noise(random));
  return samples;
}

double share_held(const world& w, double (*noise)(random_source&), std::uint64_t seed,
                  int experiments) {
  random_source random(seed);
  int held = 0;
  for (int i = 0; i < experiments; ++i) {
    trial_samples base, other;
    for (std::size_t t = 0; t < w.trials; ++t) {
      const double round = w.round * testing_tools::normal(random);
      base.push_back(trial(w, round, noise, random));
      other.push_back(trial(w, round + std::log(1.25), noise, random));
    }
    const bootstrap_options options{.paired = w.paired, .resamples = 400, .seed = random()};
    held += holds(ratio_of_medians(base, other, options).value(), 1.25);
  }
  return held / static_cast<double>(experiments);
}

// A ratio of 1.25 must lie in the interval in 95 % of experiments, less what chance explains: of 500 experiments the
// share deviates by sqrt(0.95 x 0.05 / 500) = 0.97 %; we allow three of those.
TEST(ratio_interval, covers_the_true_ratio) {
  constexpr world worlds[] = {
      {"trials differ", 0.03, 0.001, 0, 7, 5, false},
      {"few trials", 0.03, 0.01, 0, 6, 5, false},
      {"samples differ", 0, 0.03, 0, 7, 9, false},
      {"many trials", 0.02, 0.02, 0, 15, 5, false},
      {"rounds differ", 0.01, 0.001, 0.05, 7, 5, true},
      {"few rounds", 0.01, 0.01, 0.05, 6, 5, true},
      {"rounds, noisy samples", 0, 0.03, 0.05, 7, 9, true},
      {"many rounds", 0.02, 0.01, 0.05, 15, 5, true},
  };
  std::uint64_t seed = 100;
  for (const auto& w : worlds)
    for (const auto noise : {testing_tools::normal, testing_tools::skewed})
      EXPECT_GE(share_held(w, noise, ++seed, 500), 0.95 - 0.03) << w.name << ", seed " << seed;
}

TEST(ratio_interval, is_narrow_enough_to_find_a_difference) {
  random_source random(9);  // seed
  const world quiet{"quiet", 0.01, 0.01, 0, 7, 9, false};
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    trial_samples base, other;
    for (int t = 0; t < 7; ++t) {
      base.push_back(trial(quiet, 0, testing_tools::normal, random));
      other.push_back(
          trial(quiet, 0.05, testing_tools::normal, random));  // 5 %: five times the noise
    }
    found += !holds(ratio_of_medians(base, other, {.resamples = 400}).value(), 1);
  }
  EXPECT_GE(found, 95);
}

// ---- stored samples

std::vector<trial_samples> stored(const std::string& name) {
  std::ifstream file(std::string(BB_SOURCE_DIR "/tests/data/samples_") + name + ".json");
  return nlohmann::json::parse(file).at("cells").get<std::vector<trial_samples>>();
}

// 40 pairs of equal cells in each of four kinds of noise, no cell in two pairs. An interval may miss 1 in 5 % of the
// cases, plus what chance explains: three times sqrt(0.05 x 0.95 n) of n pairs.
TEST(stored_samples, equal_cells_are_found_equal_at_the_nominal_rate) {
  int missed = 0;
  for (const std::string name : {"quiet", "noisy", "ticking", "rounds"}) {
    const auto cells = stored(name);
    ASSERT_EQ(cells.size(), 80u);
    const bootstrap_options options{.paired = name == "rounds"};
    int missed_here = 0;
    for (std::size_t i = 0; i < cells.size(); i += 2)
      missed_here += !holds(ratio_of_medians(cells[i], cells[i + 1], options).value(), 1);
    EXPECT_LE(missed_here, 0.05 * 40 + 3 * 1.38) << name;
    missed += missed_here;
  }
  EXPECT_LE(missed, 0.05 * 160 + 3 * 2.76);
}

TEST(stored_samples, a_planted_tenth_is_found) {
  auto cells = stored("quiet");
  for (auto& samples : cells[1])
    for (auto& v : samples) v *= 1.1;
  const auto e = ratio_of_medians(cells[0], cells[1]).value();
  EXPECT_GT(e.ci95->lo, 1.05);
  EXPECT_LT(e.ci95->hi, 1.15);
}

}  // namespace
}  // namespace bb
