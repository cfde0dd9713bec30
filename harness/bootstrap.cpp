#include "harness/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/random.hpp"

namespace bb {
namespace {

constexpr std::size_t fewest_trials = 6;

// The trials of one side, sorted once so that the median of a resample can be counted out instead
// of sorted out.
class side {
 public:
  explicit side(const trial_samples& trials) : sorted_(trials) {
    for (auto& samples : sorted_) std::sort(samples.begin(), samples.end());
    medians_.resize(sorted_.size());
  }

  std::size_t size() const { return sorted_.size(); }

  // The median of as many samples as the trial has, drawn from it with replacement.
  double resampled_median(std::size_t trial, random_source& random) {
    const auto& samples = sorted_[trial];
    const auto n = samples.size();
    counts_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) ++counts_[random.below(n)];
    std::size_t at = 0, seen = counts_[0];
    const auto value_of_rank = [&](std::size_t rank) {
      while (seen < rank) seen += counts_[++at];
      return samples[at];
    };
    const auto lower = value_of_rank((n + 1) / 2);
    return std::midpoint(lower, value_of_rank(n / 2 + 1));
  }

  // The statistic of one resample of the trials in `drawn`.
  double resampled_statistic(const std::vector<std::size_t>& drawn, random_source& random) {
    for (std::size_t i = 0; i < drawn.size(); ++i) medians_[i] = resampled_median(drawn[i], random);
    return median(medians_).value_or(0);
  }

 private:
  trial_samples sorted_;
  std::vector<std::uint32_t> counts_;
  std::vector<double> medians_;
};

// The median of trial medians, if there are trials and all values are of the kind that a ratio can
// take.
std::optional<double> statistic(const trial_samples& trials, bool above_zero) {
  std::vector<double> medians;
  for (const auto& samples : trials) {
    const auto fits = [&](double v) { return above_zero ? v > 0 : v >= 0; };
    const auto middle = median(samples);
    if (!middle || !std::all_of(samples.begin(), samples.end(), fits)) return std::nullopt;
    medians.push_back(*middle);
  }
  return median(medians);
}

void draw(std::vector<std::size_t>& trials, std::size_t count, random_source& random) {
  trials.resize(count);
  for (auto& trial : trials) trial = random.below(count);
}

std::vector<double> resampled_ratios(const trial_samples& base, const trial_samples& other,
                                     const bootstrap_options& options) {
  side below(base), above(other);
  random_source random(options.seed);
  std::vector<std::size_t> drawn;
  std::vector<double> ratios(std::max(options.resamples, 1U));
  for (auto& ratio : ratios) {
    draw(drawn, below.size(), random);
    const auto denominator = below.resampled_statistic(drawn, random);
    if (!options.paired) draw(drawn, above.size(), random);
    ratio = above.resampled_statistic(drawn, random) / denominator;
  }
  return ratios;
}

// The 97.5 % quantile of Student's t by the Cornish-Fisher expansion (Abramowitz and
// Stegun 26.7.5); 0.2 % off at 5 degrees of freedom, less above.
double student_t975(double freedom) {
  const double z = 1.959963985, z2 = z * z, z3 = z2 * z, z5 = z3 * z2, z7 = z5 * z2;
  const double first = (z3 + z) / 4, second = (5 * z5 + 16 * z3 + 3 * z) / 96;
  const double third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  return z + first / freedom + second / (freedom * freedom) + third / (freedom * freedom * freedom);
}

// The share of resamples to leave out on each side.
double tail(std::size_t trials, bool paired) {
  if (!paired) return 0.025;
  const auto n = static_cast<double>(trials);
  return std::erfc(std::sqrt(n / (n - 1)) * student_t975(n - 1) / std::sqrt(2.0)) / 2;
}

std::optional<interval> between(const std::vector<double>& ratios, double tail) {
  auto negated = ratios;  // the nearest rank from above, so that the interval is symmetric
  for (auto& ratio : negated) ratio = -ratio;
  const auto lo = quantile(ratios, tail), hi = quantile(negated, tail);
  return lo && hi ? std::optional(interval{*lo, -*hi}) : std::nullopt;
}

}  // namespace

std::optional<ratio_estimate> ratio_of_medians(const trial_samples& base,
                                               const trial_samples& other,
                                               const bootstrap_options& options) {
  const auto denominator = statistic(base, true), numerator = statistic(other, false);
  if (!denominator || !numerator || (options.paired && base.size() != other.size()))
    return std::nullopt;
  ratio_estimate estimate{*numerator / *denominator, std::nullopt};
  if (!std::isfinite(estimate.ratio)) return std::nullopt;
  const auto fewest = std::min(base.size(), other.size());
  if (fewest >= fewest_trials)
    estimate.ci95 = between(resampled_ratios(base, other, options), tail(fewest, options.paired));
  return estimate;
}

}  // namespace bb
