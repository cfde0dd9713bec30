#include "harness/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/doctor.hpp"
#include "harness/tool_record.hpp"
#include "harness/units.hpp"

namespace bb {
namespace {

constexpr double share_worth_telling =
    0.01;  // of a cell's timed CPU time, stolen or throttled away

void add(json& out, const std::string& kind, std::string text,
         const std::vector<std::string>& silenced) {
  if (std::find(silenced.begin(), silenced.end(), kind) == silenced.end())
    out.push_back({{"kind", kind}, {"text", std::move(text)}});
}

double sum_of(const cell_result& c, const char* pointer) {
  double sum = 0;
  for (const auto& t : c.trials)
    if (const json::json_pointer at(pointer); t.contains(at) && t.at(at).is_number())
      sum += t.at(at).get<double>();
  return sum;
}

struct counted {
  unsigned stolen = 0, throttled = 0, unsteady = 0, measured = 0;
};

counted count(const run_result& r) {
  counted n;
  for (const auto& c : r.cells) {
    if (!c.measured()) continue;
    ++n.measured;
    const double wall_us = sum_of(c, "/cpu/wall_ns") / 1e3;
    n.stolen += sum_of(c, "/noise/steal_us") > share_worth_telling * wall_us;
    n.throttled += sum_of(c, "/noise/throttled_us") > share_worth_telling * wall_us;
    n.unsteady += steadiness_of(c) != "" && steadiness_of(c) != "flat";
  }
  return n;
}

}  // namespace

std::vector<std::string> warning_kinds() {
  std::vector<std::string> kinds{"stolen", "throttled", "unsteady"};
  for (const auto& f : examine_machine(debug_build())) kinds.push_back(f.id);
  return kinds;
}

json find_warnings(const run_result& r, const std::vector<std::string>& silenced) {
  json out = json::array();
  for (const auto& f : examine_machine(debug_build()))
    if (f.state == finding_state::warn)
      add(out, f.id,
          fmt::format("{}: {}{}", f.value, f.why,
                      f.remedy.empty() ? "" : fmt::format(" ({})", f.remedy)),
          silenced);
  const counted n = count(r);
  if (n.stolen > 0)
    add(out, "stolen",
        fmt::format("{} of {} cells lost over 1 % of their time to other guests of this host",
                    n.stolen, n.measured),
        silenced);
  if (n.throttled > 0)
    add(out, "throttled",
        fmt::format("{} of {} cells were stopped by a CPU quota", n.throttled, n.measured),
        silenced);
  if (n.unsteady > 0)
    add(out, "unsteady",
        fmt::format(
            "{} of {} cells show a trend or a step; more --warmup or --time may settle them",
            n.unsteady, n.measured),
        silenced);
  return out;
}

}  // namespace bb
