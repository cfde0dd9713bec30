#include "harness/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/stats.hpp"
#include "harness/steadiness.hpp"

namespace bb {
namespace {
constexpr std::array<std::string_view, 7> status_names{
    "ok", "did_not_finish", "timeout", "wrong", "failed", "absent", "skipped"};
}

static std::optional<steadiness> steadiness_from(std::string_view text) {
  for (const auto label : {steadiness::flat, steadiness::warming, steadiness::no_steady_state})
    if (to_text(label) == text) return label;
  return std::nullopt;
}

std::string_view to_string(status s) { return status_names[static_cast<std::size_t>(s)]; }

std::optional<status> status_from(std::string_view text) {
  const auto it = std::find(status_names.begin(), status_names.end(), text);
  if (it == status_names.end()) return std::nullopt;
  return static_cast<status>(it - status_names.begin());
}

std::string cell_result::key() const {
  return fmt::format("{} {} {}/{}/{} threads={} pin={}", workload, params.label(), runtime, variant,
                     arm, threads, pin.is_object() ? pin.value("policy", "") : "");
}

std::string cell_result::runtime_label() const {
  return arm.empty() ? runtime : runtime + "/" + arm;
}

summary summarise(const cell_result& cell) {
  std::map<unsigned, std::vector<double>> by_trial;
  std::vector<double> all;
  for (const auto& s : cell.samples)
    if (!s.warmup) {
      by_trial[s.trial].push_back(s.v);
      all.push_back(s.v);
    }
  summary out{.trials = static_cast<unsigned>(by_trial.size()), .n = all.size()};
  if (all.empty() || cell.state != status::ok) return out;
  std::vector<double> medians;
  for (auto& [trial, vs] : by_trial) {
    const auto middle = median(vs);
    if (!middle) return out;  // a sample that is no number must not vanish into a summary
    medians.push_back(*middle);
  }
  out.median = median(medians);
  if (const auto ci = interval95(medians)) {
    out.low = ci->lo;
    out.high = ci->hi;
  }
  out.min = *std::min_element(all.begin(), all.end());
  out.mad = mad(all);
  return out;
}

std::optional<double> trial_median(const cell_result& cell, const std::string& pointer) {
  const json::json_pointer at(pointer);
  std::vector<double> found;
  for (const auto& t : cell.trials)
    if (t.contains(at) && t.at(at).is_number()) found.push_back(t.at(at).get<double>());
  return median(found);
}

std::string steadiness_of(const cell_result& cell) {
  std::vector<std::optional<trial_steadiness>> labels;
  for (const auto& t : cell.trials) {
    const json found = t.value("steadiness", json());
    const auto label = found.is_object() ? steadiness_from(found.value("label", "")) : std::nullopt;
    labels.push_back(label ? std::optional(trial_steadiness{*label, 0, 0}) : std::nullopt);
  }
  const auto combined = combine_steadiness(labels);
  return combined ? std::string(to_text(*combined)) : "";
}

}  // namespace bb
