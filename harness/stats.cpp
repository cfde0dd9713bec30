#include "harness/stats.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace bb {
namespace {

bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Reorders `values`, which are finite and not empty.
double median_in_place(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

// The largest k with 2 P(X < k) <= 0.05 for X binomial(n, 1/2); 0 if there is none. Adds up in
// logarithms, since 2^-n leaves the range of a double soon.
std::size_t interval_rank(std::size_t n) {
  const auto trials = static_cast<double>(n);
  double log_term = -trials * std::log(2.0);
  double below = 0;
  for (std::size_t k = 0; k < n; ++k) {
    below += std::exp(log_term);
    if (2 * below > 0.05) return k;
    log_term += std::log((trials - static_cast<double>(k)) / static_cast<double>(k + 1));
  }
  return 0;
}

}  // namespace

std::optional<double> median(std::span<const double> values) {
  if (values.empty() || !finite(values)) return std::nullopt;
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

std::optional<double> mad(std::span<const double> values) {
  const auto middle = median(values);
  if (!middle) return std::nullopt;
  std::vector<double> deviations(values.begin(), values.end());
  for (auto& v : deviations) v = std::abs(v - *middle);
  return median(deviations);
}

std::uint64_t nearest_rank(std::uint64_t n, double p) {
  if (n == 0 || !(p > 0)) return n == 0 ? 0 : 1;
  if (p >= 1) return n;
  // 0.07 x 100 is 7.000000000000001 in doubles: take the rounding of p and of the product off
  // before rounding up.
  const auto rank = std::ceil(p * static_cast<double>(n) * (1 - 0x1p-51));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, n);
}

std::optional<double> quantile(std::span<const double> values, double p) {
  if (values.empty() || !finite(values) || std::isnan(p)) return std::nullopt;
  std::vector<double> copy(values.begin(), values.end());
  const auto at = copy.begin() + static_cast<std::ptrdiff_t>(nearest_rank(copy.size(), p) - 1);
  std::nth_element(copy.begin(), at, copy.end());
  return *at;
}

std::uint64_t observations_needed(double p) {
  const auto side = std::max(p, 1 - p);
  if (!(side < 1)) return 1;
  return static_cast<std::uint64_t>(std::ceil(std::log(0.05) / std::log(side)));
}

bool resolved(std::uint64_t n, double p) { return p >= 0 && p <= 1 && n >= observations_needed(p); }

std::optional<double> resolved_quantile(std::span<const double> values, double p) {
  return resolved(values.size(), p) ? quantile(values, p) : std::nullopt;
}

std::optional<interval> interval95(std::span<const double> trial_medians) {
  const auto rank = interval_rank(trial_medians.size());
  if (rank == 0 || !finite(trial_medians)) return std::nullopt;
  std::vector<double> sorted(trial_medians.begin(), trial_medians.end());
  std::sort(sorted.begin(), sorted.end());
  return interval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

std::optional<line> fit_line(std::span<const point> points) {
  const auto n = static_cast<double>(points.size());
  if (points.size() < 2) return std::nullopt;
  double mean_x = 0, mean_y = 0;
  for (const auto& p : points) mean_x += p.x / n, mean_y += p.y / n;
  double xx = 0, xy = 0;
  for (const auto& p : points) {
    xx += (p.x - mean_x) * (p.x - mean_x);
    xy += (p.x - mean_x) * (p.y - mean_y);
  }
  const auto same_x =
      std::all_of(points.begin(), points.end(), [&](const point& p) { return p.x == points[0].x; });
  if (same_x || !(xx > 0)) return std::nullopt;
  const auto slope = if_finite(xy / xx);
  const auto intercept = slope ? if_finite(mean_y - *slope * mean_x) : std::nullopt;
  return intercept ? std::optional(line{*slope, *intercept}) : std::nullopt;
}

}  // namespace bb
