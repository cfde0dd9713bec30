#include "harness/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "harness/error.hpp"
#include "harness/text.hpp"
#include "harness/units.hpp"

namespace bb {
namespace {

std::vector<const workload_info*> chosen_workloads(const registry& table, const std::string& list) {
  std::vector<const workload_info*> out;
  for (const auto& id : split(list, ',')) {
    if (id == "all")
      for (const auto& w : table.workloads()) out.push_back(&w);
    else
      out.push_back(&table.workload(id));
  }
  if (out.empty())
    throw usage_error("--workload: the list is empty; `bb list` shows the workloads");
  return out;
}

bool has_parameter(const workload_info& w, std::string_view name) {
  return std::any_of(w.parameters.begin(), w.parameters.end(),
                     [&](const auto& p) { return p.name == name; });
}

// A parameter that none of the chosen workloads has would silently do nothing.
void refuse_foreign_params(const registry& table, const std::vector<const workload_info*>& chosen,
                           const std::map<std::string, std::string>& params) {
  for (const auto& [name, list] : params) {
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const auto* w) { return has_parameter(*w, name); }))
      continue;
    std::vector<std::string> owners, ids;
    for (const auto& w : table.workloads())
      if (has_parameter(w, name)) owners.emplace_back(w.id);
    for (const auto* w : chosen) ids.emplace_back(w->id);
    throw usage_error(
        fmt::format("--{}: no chosen workload ({}) has this parameter; it belongs to {}", name,
                    join(ids, ", "), owners.empty() ? "none" : join(owners, ", ")));
  }
}

std::vector<values> parameter_sets(const workload_info& w, const selection& what) {
  std::vector<std::vector<value>> lists;
  for (const auto& spec : w.parameters) {
    const auto given = what.params.find(std::string(spec.name));
    const std::string text{what.smoke ? spec.smoke : spec.full};
    lists.push_back(parse_values(spec, given != what.params.end() ? given->second : text));
  }
  return combinations(w.parameters, lists);
}

// `list:0,2` holds commas of its own, so it ends the list of policies.
std::vector<pin_policy> chosen_pins(const std::string& text) {
  std::vector<pin_policy> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = rest.starts_with("list:") ? std::string_view::npos : rest.find(',');
    out.push_back(parse_pin_policy(rest.substr(0, comma)));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  if (out.empty())
    throw usage_error(
        fmt::format("--pin: the list is empty; the policies are {}", pin_policy_names()));
  return out;
}

std::vector<unsigned> chosen_threads(const std::string& text, const planning_ground& ground) {
  if (text.empty()) return {ground.default_threads};
  const symbol symbols[] = {{"max", ground.default_threads},
                            {"cores", ground.machine.cores()},
                            {"pus", ground.machine.pus.size()}};
  const list_rules rules{.option = "--threads", .limit = most_threads, .symbols = symbols};
  std::vector<unsigned> out;
  for (const auto n : parse_list(text, rules).values) out.push_back(static_cast<unsigned>(n));
  return out;
}

std::vector<std::string_view> variants_of(const row& r, const workload_info& w,
                                          const std::string& wanted) {
  const bool has_native = find_body(r, w.id, "native") != nullptr;
  const bool has_generic = find_body(r, w.id, "generic") != nullptr;
  if (wanted == "all") {
    std::vector<std::string_view> both;
    if (has_native) both.push_back("native");
    if (has_generic) both.push_back("generic");
    return both.empty() ? std::vector<std::string_view>{"generic"} : both;
  }
  if (wanted == "best") return {has_native ? "native" : "generic"};
  if (wanted != "native" && wanted != "generic")
    throw usage_error("--variant: " +
                      unknown_word("value", wanted, {"best", "native", "generic", "all"}));
  return {wanted == "native" ? "native" : "generic"};
}

// The most threads that a large input runs with: the largest number asked for that the machine has PUs for.
unsigned full_threads(const std::vector<unsigned>& threads, const planning_ground& ground) {
  unsigned best = threads.front();
  for (const unsigned t : threads)
    if (t <= ground.machine.pus.size()) best = std::max(best, t);
  return best;
}

/// Expands one (workload, parameters, runtime, variant) over threads and policies.
class expansion {
 public:
  expansion(const registry& table, const selection& what, const planning_ground& ground)
      : what_(what),
        ground_(ground),
        runtimes_(parse_runtimes(table, what.runtimes)),
        threads_(chosen_threads(what.threads, ground)),
        pins_(chosen_pins(what.pins)) {}

  void add(const workload_info& w, const values& params) {
    for (const auto& [runtime, arm] : runtimes_)
      for (const auto variant : variants_of(*runtime, w, what_.variant))
        add_threads(w, params, *runtime, arm, variant);
  }

  std::vector<planned_cell> take() { return std::move(cells_); }

 private:
  void add_threads(const workload_info& w, const values& params, const row& r,
                   const arm_values& arm, std::string_view variant) {
    planned_cell base{
        .workload = &w, .runtime = &r, .body = find_body(r, w.id, variant), .arm = arm};
    base.result.workload = w.id;
    base.result.params = params;
    base.result.runtime = r.id;
    base.result.variant = variant;
    base.result.arm = arm.label();
    for (const auto& spec : w.parameters)
      if (spec.of_input) base.input.set(spec.name, *params.find(spec.name));
    if (base.body == nullptr) {
      base.result.state = status::absent;
      base.result.reason = what_.variant == "native" && find_body(r, w.id, "generic") != nullptr
                               ? fmt::format("{} has no native body for {}", r.id, w.id)
                               : absent_reason(r, w);
      cells_.push_back(base);
      return;
    }
    if (const std::string lack = r.lacks_arm != nullptr ? r.lacks_arm(arm) : ""; !lack.empty()) {
      give_up(base, status::absent, lack);
      cells_.push_back(base);
      return;
    }
    for (const auto& policy : pins_)
      for (const unsigned t : r.single_thread ? std::vector<unsigned>{1} : threads_)
        add_one(base, policy, t);
  }

  void add_one(planned_cell cell, const pin_policy& policy, unsigned threads) {
    cell.pins = make_pin_plan(ground_.machine, policy, threads);
    cell.result.threads = threads;
    cell.result.pin = to_json(cell.pins);
    const double bytes = cell.workload->memory_bytes(cell.result.params);
    if (ground_.available_bytes != 0 && bytes > static_cast<double>(ground_.available_bytes))
      give_up(cell, status::failed,
              fmt::format(
                  "not enough memory: the input needs {}, {} are available; choose a smaller size",
                  format_bytes(bytes), format_bytes(static_cast<double>(ground_.available_bytes))));
    else if (const unsigned most = full_threads(threads_, ground_);
             !what_.full && cell.workload->large(cell.result.params) && threads != 1 &&
             threads != most)
      give_up(cell, status::skipped,
              fmt::format("a large input runs at 1 and {} threads; --full runs the rest", most));
    cells_.push_back(std::move(cell));
  }

  static void give_up(planned_cell& cell, status s, std::string reason) {
    cell.body = nullptr;
    cell.result.state = s;
    cell.result.reason = std::move(reason);
  }

  const selection& what_;
  const planning_ground& ground_;
  std::vector<runtime_arm> runtimes_;
  std::vector<unsigned> threads_;
  std::vector<pin_policy> pins_;
  std::vector<planned_cell> cells_;
};

std::regex compile(const std::string& text) try {
  return std::regex(text, std::regex::ECMAScript);
} catch (const std::regex_error&) {
  throw usage_error(
      fmt::format("--filter: '{}' is not a regular expression (ECMAScript syntax)", text));
}

void apply_filters(std::vector<planned_cell>& cells, const std::vector<std::string>& filters) {
  for (const auto& f : filters) {
    const bool negate = f.starts_with('-');
    const std::regex pattern = compile(negate ? f.substr(1) : f);
    std::erase_if(
        cells, [&](const auto& c) { return std::regex_search(c.result.key(), pattern) == negate; });
  }
}

// The same cell can be asked for twice (`--runtime tbb,all`).
void drop_repeats(std::vector<planned_cell>& cells) {
  std::set<std::string> seen;
  std::erase_if(cells, [&](const auto& c) { return !seen.insert(c.result.key()).second; });
}

}  // namespace

std::string resolve_threads(const std::string& text, const planning_ground& ground) {
  std::vector<std::string> numbers;
  for (const unsigned n : chosen_threads(text, ground)) numbers.push_back(std::to_string(n));
  return join(numbers, ",");
}

std::vector<planned_cell> make_plan(const registry& table, const selection& what,
                                    const planning_ground& ground) {
  const auto chosen = chosen_workloads(table, what.workloads);
  refuse_foreign_params(table, chosen, what.params);
  expansion cells(table, what, ground);
  for (const auto* w : chosen)
    for (const auto& params : parameter_sets(*w, what)) cells.add(*w, params);
  auto out = cells.take();
  drop_repeats(out);
  apply_filters(out, what.filters);
  if (out.empty())
    throw usage_error("nothing to run: --filter leaves no cell; --dry-run without it shows all");
  return out;
}

}  // namespace bb
