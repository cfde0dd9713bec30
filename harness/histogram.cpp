#include "harness/histogram.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "harness/error.hpp"
#include "harness/stats.hpp"

namespace bb {

using namespace histogram_layout;

histogram::histogram() : counts_(negative_slot + 1) {}

void histogram::merge(const histogram& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::uint64_t histogram::count() const noexcept {
  return std::accumulate(counts_.begin(), counts_.begin() + negative_slot, std::uint64_t{0});
}
std::uint64_t histogram::overflow() const noexcept { return counts_[overflow_slot]; }
std::uint64_t histogram::negative() const noexcept { return counts_[negative_slot]; }

std::optional<std::int64_t> histogram::min_ns() const noexcept {
  return max_ < 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(min_));
}
std::optional<std::int64_t> histogram::max_ns() const noexcept {
  return max_ < 0 ? std::nullopt : std::optional(max_);
}

std::optional<double> histogram::quantile(double p) const noexcept {
  const auto n = count();
  const auto rank = nearest_rank(n, p);
  if (rank == 0) return std::nullopt;
  const auto low = static_cast<double>(min_), high = static_cast<double>(max_);
  if (rank == 1) return low;
  if (rank == n) return high;
  std::uint64_t seen = 0, at = 0;
  while ((seen += counts_[at]) < rank) ++at;
  if (at == overflow_slot) return std::clamp(static_cast<double>(limit_ns), low, high);
  const auto bin = bin_at(at, 0);
  return std::clamp(static_cast<double>(bin.low) + static_cast<double>(bin.width - 1) / 2, low,
                    high);
}

std::optional<double> histogram::resolved_quantile(double p) const noexcept {
  return resolved(count(), p) ? quantile(p) : std::nullopt;
}

bool histogram::beyond(double p) const noexcept {
  const auto n = count();
  return nearest_rank(n, p) > n - overflow();
}

histogram::bin histogram::bin_at(std::uint64_t slot, std::uint64_t count) noexcept {
  const auto shift = slot < (std::uint64_t{2} << precision) ? 0 : (slot >> precision) - 1;
  const auto low = (slot - (shift << precision)) << shift;
  return {static_cast<std::int64_t>(low), std::int64_t{1} << shift, count};
}

std::vector<histogram::bin> histogram::bins() const {
  std::vector<bin> found;
  for (std::uint64_t slot = 0; slot < overflow_slot; ++slot)
    if (counts_[slot] != 0) found.push_back(bin_at(slot, counts_[slot]));
  return found;
}

void to_json(nlohmann::ordered_json& j, const histogram& h) {
  auto bins = nlohmann::ordered_json::array();
  for (const auto& b : h.bins()) bins.push_back({b.low, b.count});
  j = {{"lo", histogram::lowest_ns},
       {"digits", histogram::digits},
       {"min", nullptr},
       {"max", nullptr},
       {"overflow", h.overflow()},
       {"negative", h.negative()},
       {"bins", std::move(bins)}};
  if (const auto min = h.min_ns()) j["min"] = *min;
  if (const auto max = h.max_ns()) j["max"] = *max;
}

namespace {

std::uint64_t whole_number(const nlohmann::ordered_json& j) {
  if (!j.is_number_unsigned() && !(j.is_number_integer() && j.get<std::int64_t>() >= 0))
    throw input_error(fmt::format("a histogram holds {} where a whole number belongs", j.dump()));
  return j.get<std::uint64_t>();
}

}  // namespace

void histogram::read_bin(const nlohmann::ordered_json& pair) {
  const auto value = pair.size() == 2 ? whole_number(pair.at(0)) : limit;
  if (value >= limit)
    throw input_error(
        fmt::format("a histogram holds the bin {}; a bin is [ns, count] with ns from 0 to {}",
                    pair.dump(), limit - 1));
  counts_[slot(value)] += whole_number(pair.at(1));
}

void from_json(const nlohmann::ordered_json& j, histogram& h) try {
  if (j.at("digits") != histogram::digits)
    throw input_error(fmt::format("a histogram has {} digits; this version reads {}",
                                  j.at("digits").dump(), histogram::digits));
  histogram read;
  for (const auto& pair : j.at("bins")) read.read_bin(pair);
  read.counts_[overflow_slot] = whole_number(j.at("overflow"));
  read.counts_[negative_slot] = j.contains("negative") ? whole_number(j.at("negative")) : 0;
  if (read.count() != 0) read.set_extremes(whole_number(j.at("min")), whole_number(j.at("max")));
  h = std::move(read);
} catch (const nlohmann::json::exception& e) {
  throw input_error(fmt::format(
      "a histogram cannot be read ({}); it needs digits, bins, overflow, min and max", e.what()));
}

// Checked against the bins, since extremes outside them would break the order of the quantiles.
void histogram::set_extremes(std::uint64_t min, std::uint64_t max) {
  const auto filled = [](std::uint64_t n) { return n != 0; };
  const auto end = counts_.begin() + negative_slot;
  const auto first = std::find_if(counts_.begin(), end, filled);
  const auto last = std::find_if(std::reverse_iterator(end), counts_.rend(), filled);
  const auto in = [&](std::uint64_t value, const std::uint64_t& count) {
    return &counts_[slot(value)] == &count;
  };
  if (min > max || !in(min, *first) || !in(max, *last))
    throw input_error(fmt::format(
        "a histogram has min {} and max {}, which do not lie in its first and last bin", min, max));
  min_ = min;
  max_ = static_cast<std::int64_t>(max);
}

}  // namespace bb
