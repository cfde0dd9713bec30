#pragma once
// Summaries of samples. All functions are total: for any input, empty and tied and zero included,
// they return a finite number or nothing. They return nothing where the question has no answer, and
// wherever a value is NaN or infinite, since a sample that was not measured must not vanish into a
// summary. Pure; any thread.

#include <cstdint>
#include <optional>
#include <span>

namespace bb {

struct interval {
  double lo, hi;
  bool operator==(const interval&) const = default;
};

/// The middle value; of an even number of values, the midpoint of the middle two.
std::optional<double> median(std::span<const double> values);

/// Median absolute deviation from the median, not scaled.
std::optional<double> mad(std::span<const double> values);

/// The one definition of a quantile here: nearest rank, ceil(p n), counted from 1. 0 if n is 0; p
/// is clamped to 0..1, and p = 0 has rank 1. So a quantile is always a value that was observed, min
/// <= quantile <= max, and it never falls as p grows.
std::uint64_t nearest_rank(std::uint64_t n, double p);

/// The value at nearest_rank(n, p), however few the values are.
std::optional<double> quantile(std::span<const double> values, double p);

/// The least number of observations whose largest exceeds the true p-quantile with 95 % confidence:
/// the smallest n with 1 - p^n >= 0.95 (S. Wilks, "Determination of sample sizes for setting
/// tolerance limits", 1941). 29 for p90, 299 for p99, 2995 for p99.9. By symmetry for p below one
/// half. Extremes (0 and 1) need one observation.
std::uint64_t observations_needed(double p);

/// Whether n observations say anything about the p-quantile. With fewer, the "p99" is the maximum
/// by another name.
bool resolved(std::uint64_t n, double p);

/// quantile() where it is resolved, else nothing.
std::optional<double> resolved_quantile(std::span<const double> values, double p);

/// Distribution-free interval for the median that trials scatter about: from the k-th smallest to
/// the k-th largest value, k as large as leaves a confidence of at least 95 % (order statistics;
/// binomial with p = 1/2). Nothing below 6 values, where even min..max has less: 1 - 2/2^5 = 93.75
/// %.
std::optional<interval> interval95(std::span<const double> trial_medians);

struct point {
  double x, y;
};

/// y = intercept + slope x.
struct line {
  double slope, intercept;
};

/// Ordinary least squares. Nothing for fewer than two points or when all have the same x.
std::optional<line> fit_line(std::span<const point> points);

}  // namespace bb
