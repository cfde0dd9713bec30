#pragma once
// Latencies of single operations: counts in bins whose width grows with the value (log-linear),
// after the idea of HdrHistogram (G. Tene). Three significant digits from 1 ns to hours in a fixed
// 280 KiB, so that recording is a shift and an add, and two histograms merge by adding.
//
//   value     a duration in ns, as a difference of two clock readings
//   bin       the values that share a count: [low, low + width), width <= low / 1024; below 2048 ns
//   each value its own overflow  values of 2^44 ns (4.9 hours) and more: counted, and they move the
//   maximum, but have no bin negative  a clock that stepped back: counted apart, in no quantile and
//   no extreme

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace bb {

// Where the counts lie. Values below 2^(precision + 1) have a slot each; then every power of two has 2^precision slots.
namespace histogram_layout {

inline constexpr int precision = 10;
inline constexpr std::uint64_t limit = std::uint64_t{1} << 44;

constexpr std::uint64_t unclamped_slot(std::uint64_t v) noexcept {
  const int shift = std::bit_width(v | (std::uint64_t{1} << precision)) - (precision + 1);
  return (static_cast<std::uint64_t>(shift) << precision) + (v >> shift);
}

inline constexpr std::uint64_t overflow_slot = unclamped_slot(limit);
inline constexpr std::uint64_t negative_slot = overflow_slot + 1;

// No branch: the sign bit of a negative value moves it from the overflow slot to the next.
constexpr std::uint64_t slot(std::uint64_t v) noexcept {
  return std::min(unclamped_slot(v), overflow_slot) + (v >> 63);
}

}  // namespace histogram_layout

class histogram {
 public:
  static constexpr int digits = 3;
  static constexpr std::int64_t lowest_ns = 1;  // a 0 is counted, but says "below the clock's step"
  static constexpr std::int64_t limit_ns = histogram_layout::limit;  // first value without a bin

  /// Touches all its memory, so that recording faults no page in.
  histogram();

  /// One thread at a time; give each worker its own and merge(). Any value; never throws.
  void record(std::int64_t value_ns) noexcept {
    const auto v = static_cast<std::uint64_t>(
        value_ns);  // a negative value becomes huge: it cannot lower the minimum,
    ++counts_[histogram_layout::slot(v)];  // nor, as it stays negative below, raise the maximum
    min_ = std::min(min_, v);
    max_ = std::max(max_, value_ns);
  }

  void merge(const histogram& other) noexcept;

  std::uint64_t count() const noexcept;     // values in quantiles: in bins, and overflow
  std::uint64_t overflow() const noexcept;  // values of limit_ns and more
  std::uint64_t negative() const noexcept;

  std::optional<std::int64_t> min_ns() const noexcept;  // exact; nothing while count() is 0
  std::optional<std::int64_t> max_ns() const noexcept;

  /// The p-quantile by nearest_rank(): the middle of the bin that holds the value of that rank,
  /// within [min, max], so it is at most 0.05 % off; the extremes are exact. Nothing while count()
  /// is 0. A quantile among the overflow is limit_ns, meaning "at least" (see beyond()); but the
  /// maximum is exact even there.
  std::optional<double> quantile(double p) const noexcept;

  /// quantile() where count() observations resolve it (see resolved()), else nothing.
  std::optional<double> resolved_quantile(double p) const noexcept;

  /// Whether the p-quantile lies among the overflow, so that quantile() is but a lower bound (for p
  /// < 1).
  bool beyond(double p) const noexcept;

  struct bin {
    std::int64_t low, width;
    std::uint64_t count;
    bool operator==(const bin&) const = default;
  };
  /// The bins that hold something, ascending.
  std::vector<bin> bins() const;

  bool operator==(const histogram&) const = default;

  /// `{lo, digits, bins: [[low, count]...], overflow, negative, min, max}`; min and max are null
  /// for an empty one.
  friend void to_json(nlohmann::ordered_json& j, const histogram& h);
  /// Unknown keys are ignored. Throws input_error if a bin or a number cannot be.
  friend void from_json(const nlohmann::ordered_json& j, histogram& h);

 private:
  static bin bin_at(std::uint64_t slot, std::uint64_t count) noexcept;
  void read_bin(const nlohmann::ordered_json& pair);
  void set_extremes(std::uint64_t min, std::uint64_t max);

  std::vector<std::uint64_t> counts_;  // bins, then overflow, then negative
  std::uint64_t min_ = ~std::uint64_t{0};
  std::int64_t max_ = -1;
};

}  // namespace bb
