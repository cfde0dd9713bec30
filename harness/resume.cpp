#include "harness/resume.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/error.hpp"

namespace bb {
namespace {

void refuse_other(const std::string& what, const json& then, const json& now) {
  if (then == now) return;
  throw input_error(
      fmt::format("cannot resume: {} was {} and is {}; go on where it was measured, or start anew",
                  what, then.dump(), now.dump()));
}

json at(const json& j, const char* key) { return j.is_object() ? j.value(key, json()) : json(); }

void refuse_other_ground(const run_result& done, const run_result& now) {
  refuse_other("the bb that measured it", at(done.tool, "commit"), at(now.tool, "commit"));
  refuse_other("its build", at(done.tool, "build"), at(now.tool, "build"));
  for (const char* key : {"cpu", "cores", "pus", "allowed", "quota", "kernel"})
    refuse_other(fmt::format("the machine's {}", key), at(done.machine, key), at(now.machine, key));
}

}  // namespace

run_options options_of(const run_result& r, const std::string& path) try {
  run_options o = run_options_from_json(r.settings);
  o.how.seed = r.seed;
  validate(o.how);
  return o;
} catch (const json::exception&) {
  throw input_error(fmt::format(
      "'{}' does not say how it was measured (settings), so it cannot be resumed", path));
} catch (const usage_error& fault) {
  throw input_error(fmt::format("'{}' has settings that cannot be: {}", path, fault.what()));
}

void go_on_from(const run_result& done, run_result& now, std::vector<planned_cell>& cells) {
  refuse_other_ground(done, now);
  std::map<std::string, planned_cell*> planned;
  for (auto& cell : cells) planned.emplace(cell.result.key(), &cell);
  for (const auto& c : done.cells) {
    const auto it = planned.find(c.key());
    if (it == planned.end() && !c.trials.empty())
      throw input_error(fmt::format(
          "cannot resume: its settings do not lead to its cell '{}'; start anew", c.key()));
    if (it != planned.end()) refuse_other("a cell's pin plan", c.pin, it->second->result.pin);
  }
  for (const auto& c : done.cells)
    if (const auto it = planned.find(c.key()); it != planned.end() && !c.trials.empty())
      it->second->result = c;
  now.started = done.started;
  now.ceilings = done.ceilings;
  now.tags = done.tags;
  now.argv = done.argv;
}

}  // namespace bb
