#include "harness/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/units.hpp"

namespace bb {
namespace {

/// Cells of one line, and what their trials say the series is.
struct family {
  std::vector<const cell_result*> cells;
  std::string title;
  json spec;
};

json spec_of(const cell_result& c) {
  for (const auto& t : c.trials)
    if (const auto found = t.find("series"); found != t.end() && found->is_object()) return *found;
  return nullptr;
}

std::string title_of(const cell_result& c, const std::string& parameter) {
  values rest;
  for (const auto& [name, v] : c.params.all())
    if (name != parameter) rest.set(name, v);
  return fmt::format("{}  {}", c.workload, rest.label());
}

std::vector<family> families_of(const run_result& r) {
  std::vector<family> out;
  std::map<std::string, std::size_t> place;
  for (const auto& c : r.cells) {
    const json spec = c.measured() ? spec_of(c) : json(nullptr);
    if (spec.is_null()) continue;
    const std::string title = title_of(c, spec.at("parameter").get<std::string>());
    const std::string policy = c.pin.is_object() ? c.pin.value("policy", "") : "";
    const std::string key =
        fmt::format("{}|{}|{}|{}|{}|{}", title, c.runtime, c.variant, c.arm, c.threads, policy);
    const auto [at, fresh] = place.emplace(key, out.size());
    if (fresh) out.push_back({{}, title, spec});
    out[at->second].cells.push_back(&c);
  }
  return out;
}

/// The points of each round: the parameter's value, and the round's median time.
std::map<unsigned, std::vector<point>> points_by_round(const family& f) {
  std::map<unsigned, std::vector<point>> out;
  const std::string parameter = f.spec.at("parameter").get<std::string>();
  for (const auto* c : f.cells) {
    const auto x = static_cast<double>(c->params.number(parameter));
    std::map<unsigned, std::vector<double>> rounds;
    for (const auto& s : c->samples)
      if (!s.warmup) rounds[s.round].push_back(s.v);
    for (const auto& [round, samples] : rounds)
      if (const auto y = median(samples))
        out[round].push_back({x, f.spec.value("per_run", false) ? *y * x : *y});
  }
  return out;
}

std::optional<series_fit> fit(const family& f) {
  std::vector<double> slopes, intercepts;
  std::size_t points = 0;
  for (const auto& [round, of_round] : points_by_round(f))
    if (const auto found = fit_line(of_round)) {
      slopes.push_back(found->slope);
      intercepts.push_back(found->intercept);
      points = std::max(points, of_round.size());
    }
  if (slopes.empty()) return std::nullopt;
  return series_fit{.cell = f.cells.front(),
                    .title = f.title,
                    .parameter = f.spec.at("parameter").get<std::string>(),
                    .slope_unit = f.spec.at("slope").get<std::string>(),
                    .intercept_unit = f.spec.at("intercept").get<std::string>(),
                    .slope = *median(slopes),
                    .intercept = *median(intercepts),
                    .slope95 = interval95(slopes),
                    .points = points};
}

std::string runtime_of(const series_fit& f) {
  return f.cell->variant == "generic"
             ? f.cell->runtime_label()
             : fmt::format("{} ({})", f.cell->runtime_label(), f.cell->variant);
}

std::string line_of(const series_fit& f, std::size_t width) {
  const std::string spread = f.slope95 ? fmt::format("{} .. {}", format_significant(f.slope95->lo),
                                                     format_significant(f.slope95->hi))
                                       : "-";
  return fmt::format("  {:<{}}  {:>7}  {:>10}  {:>18}  {:>12}  {:>6}\n", runtime_of(f), width,
                     f.cell->threads, format_significant(f.slope), spread,
                     format_significant(f.intercept), f.points);
}

json to_json(const series_fit& f) {
  return {{"workload", f.cell->workload},
          {"series", f.title},
          {"parameter", f.parameter},
          {"runtime", f.cell->runtime},
          {"variant", f.cell->variant},
          {"arm", f.cell->arm},
          {"threads", f.cell->threads},
          {"points", f.points},
          {"slope", f.slope},
          {"slope_unit", f.slope_unit},
          {"slope95", f.slope95 ? json{f.slope95->lo, f.slope95->hi} : json(nullptr)},
          {"intercept", f.intercept},
          {"intercept_unit", f.intercept_unit}};
}

}  // namespace

std::vector<series_fit> fit_series(const run_result& r) {
  std::vector<series_fit> out;
  for (const auto& f : families_of(r))
    if (auto found = fit(f)) out.push_back(std::move(*found));
  return out;
}

json series_json(const run_result& r) {
  json out = json::array();
  for (const auto& f : fit_series(r)) out.push_back(to_json(f));
  return out;
}

std::string series_table(const run_result& r) {
  const auto fits = fit_series(r);
  std::size_t width = 7;
  for (const auto& f : fits) width = std::max(width, runtime_of(f).size());
  std::string out, title;
  for (const auto& f : fits) {
    if (f.title != title) {
      out += fmt::format("{}{}  line over {}\n", title.empty() ? "" : "\n", f.title, f.parameter);
      out += fmt::format("  {:<{}}  {:>7}  {:>10}  {:>18}  {:>12}  {:>6}\n", "runtime", width,
                         "threads", f.slope_unit, "95% interval", f.intercept_unit, "points");
      title = f.title;
    }
    out += line_of(f, width);
  }
  return out;
}

}  // namespace bb
