#include "harness/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats.hpp"

namespace bb {
namespace {

constexpr std::size_t fewest_samples = 10, most_tested = 256;

int sign(double v) { return (v > 0) - (v < 0); }

// At most 256 medians of neighbours in place of many samples: the tests below are quadratic. What is left over joins
// the last block.
std::vector<double> thinned(std::span<const double> samples) {
  const auto size = (samples.size() + most_tested - 1) / most_tested;
  const auto blocks = samples.size() / size;
  std::vector<double> medians(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto block =
        samples.subspan(i * size, i + 1 == blocks ? samples.size() - i * size : size);
    medians[i] = median(block).value_or(0);
  }
  return medians;
}

// A change with the probability that steady samples look as if they had one at least as clear.
struct change {
  double size, p;
  std::size_t at = 0;  // of a step: the number of samples before it
  bool seen(const steadiness_options& o) const {
    return p < o.significance && std::abs(size) >= o.practical;
  }
};

// Sum of t (t - 1) (2 t + 5) over groups of t equal values: what ties take from the variance of Kendall's S.
double tie_correction(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (auto group = values.begin(); group != values.end();) {
    const auto end = std::upper_bound(group, values.end(), *group);
    const auto t = static_cast<double>(end - group);
    sum += t * (t - 1) * (2 * t + 5);
    group = end;
  }
  return sum;
}

change trend_of(const std::vector<double>& values, double middle) {
  const auto n = static_cast<double>(values.size());
  double s = 0;
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t j = 1; j < values.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      s += sign(values[j] - values[i]);
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  const auto variance = (n * (n - 1) * (2 * n + 5) - tie_correction(values)) / 18;
  const auto z = variance > 0 ? std::max(std::abs(s) - 1, 0.0) / std::sqrt(variance) : 0;
  return {median(slopes).value_or(0) * (n - 1) / middle, std::erfc(z / std::sqrt(2.0))};
}

change step_of(const std::vector<double>& values, double middle) {
  const auto n = static_cast<double>(values.size());
  double u = 0, largest = 0;
  std::size_t at = 1;
  for (std::size_t t = 0; t + 1 < values.size(); ++t) {
    for (const double other : values) u += sign(other - values[t]);
    if (std::abs(u) <= largest) continue;
    largest = std::abs(u);
    at = t + 1;
  }
  const std::span all(values);
  const auto size =
      (median(all.subspan(at)).value_or(0) - median(all.first(at)).value_or(0)) / middle;
  const auto p = 2 * std::exp(-6 * largest * largest / (n * n * n + n * n));
  return {size, std::min(p, 1.0), at};
}

// Whether samples rise, by trend or step.
bool rises(const std::vector<double>& values, double middle, const steadiness_options& options) {
  if (values.size() < fewest_samples) return false;
  const auto trend = trend_of(values, middle), step = step_of(values, middle);
  return (trend.seen(options) && trend.size > 0) || (step.seen(options) && step.size > 0);
}

steadiness label_of(const std::vector<double>& values, double middle, const change& trend,
                    const change& step, const steadiness_options& options) {
  if (!trend.seen(options) && !step.seen(options)) return steadiness::flat;
  const auto& clearer = step.seen(options) ? step : trend;
  if (clearer.size > 0) return steadiness::no_steady_state;
  const std::vector<double> rest(values.begin() + static_cast<std::ptrdiff_t>(step.at),
                                 values.end());
  return rises(rest, middle, options) ? steadiness::no_steady_state : steadiness::warming;
}

}  // namespace

std::string_view to_text(steadiness label) {
  switch (label) {
    case steadiness::flat:
      return "flat";
    case steadiness::warming:
      return "warming";
    case steadiness::no_steady_state:
      break;
  }
  return "no steady state";
}

std::optional<trial_steadiness> test_steadiness(std::span<const double> samples,
                                                const steadiness_options& options) {
  const auto middle = median(samples);  // nothing if a sample is not finite
  if (samples.size() < fewest_samples || !middle || !(*middle > 0)) return std::nullopt;
  const auto values = thinned(samples);
  const auto trend = trend_of(values, *middle), step = step_of(values, *middle);
  if (!std::isfinite(trend.size) || !std::isfinite(step.size)) return std::nullopt;
  return trial_steadiness{label_of(values, *middle, trend, step, options), trend.size, step.size};
}

std::optional<steadiness> combine_steadiness(
    std::span<const std::optional<trial_steadiness>> trials) {
  std::size_t tested = 0, changing = 0, unsteady = 0;
  for (const auto& trial : trials) {
    tested += trial.has_value();
    changing += trial && trial->label != steadiness::flat;
    unsteady += trial && trial->label == steadiness::no_steady_state;
  }
  if (tested == 0) return std::nullopt;
  const std::size_t needed = tested <= 3 ? 1 : std::max<std::size_t>(2, (tested + 3) / 4);
  if (changing < needed) return steadiness::flat;
  return 2 * unsteady >= changing ? steadiness::no_steady_state : steadiness::warming;
}

}  // namespace bb
