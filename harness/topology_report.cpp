#include "harness/topology_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "harness/error.hpp"
#include "harness/pin.hpp"

namespace bb {
namespace {

using json = nlohmann::ordered_json;

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string kind_name(const topology& machine, const processor& pu) {
  if (pu.kind < 0 || machine.kinds.size() < 2) return {};
  const auto& kind = machine.kinds[static_cast<std::size_t>(pu.kind)];
  return kind.core_type.empty() ? fmt::format("  kind {}", pu.kind) : "  " + kind.core_type;
}

std::string headline(const topology& machine) {
  std::string line = fmt::format(
      "{}, {}, {}, {}, {}", counted(machine.packages(), "package"),
      counted(machine.numa_nodes(), "NUMA node"), counted(machine.l3_domains(), "L3 domain"),
      counted(machine.cores(), "core"), counted(machine.pus.size(), "PU"));
  if (machine.l3_bytes > 0) line += fmt::format(", L3 {} KiB", machine.l3_bytes / 1024);
  line += '\n';
  if (!machine.has_cores)
    line += "which PUs share a core is not known: each counts as a core of its own\n";
  if (machine.kinds.size() > 1) line += "kinds of cores are shown as hwloc sees them\n";
  return line;
}

/// Logical order visits the units of a level one after the other, so a change of the index is a new unit.
std::string tree(const topology& machine) {
  std::string text;
  const processor* before = nullptr;
  for (const auto& pu : machine.pus) {
    const bool new_package = before == nullptr || pu.package != before->package;
    const bool new_domain = new_package || pu.l3 != before->l3 || pu.numa_node != before->numa_node;
    if (new_package) text += fmt::format("\npackage {}", pu.package);
    if (new_domain) text += fmt::format("\n  L3 domain {}, NUMA node {}", pu.l3, pu.numa_node);
    if (new_domain || pu.core != before->core) {
      text += fmt::format("\n    core {}{}  PU", pu.core, kind_name(machine, pu));
    }
    text += fmt::format(" {}", pu.os_index);
    before = &pu;
  }
  return text + '\n';
}

using plan_or_problem = std::variant<pin_plan, std::string>;

plan_or_problem try_plan(const topology& machine, const pin_policy& policy, unsigned threads) {
  try {
    return make_pin_plan(machine, policy, threads);
  } catch (const usage_error& refused) {
    return std::string(refused.what());
  }
}

std::string describe(const pin_plan& plan) {
  std::string line = fmt::format("taskset -c {}", plan.taskset());
  line += plan.binds() ? fmt::format("  workers on {}", fmt::join(plan.pus, " "))
                       : "  workers not bound";
  return plan.oversubscribed ? line + "  (oversubscribed)" : line;
}

json plan_json(const pin_policy& policy, const plan_or_problem& outcome) {
  if (const auto* problem = std::get_if<std::string>(&outcome))
    return {{"policy", policy.text}, {"problem", *problem}};
  const auto& plan = std::get<pin_plan>(outcome);
  return {{"policy", plan.policy},
          {"taskset", plan.taskset()},
          {"oversubscribed", plan.oversubscribed},
          {"planned", plan.pus}};
}

json pu_json(const processor& pu) {
  return {{"os_index", pu.os_index},
          {"logical", pu.logical},
          {"core", pu.core},
          {"package", pu.package},
          {"numa_node", pu.numa_node},
          {"l3", pu.l3},
          {"smt_rank", pu.smt_rank},
          {"kind", pu.kind < 0 ? json() : json(pu.kind)},
          {"speed_rank", pu.speed_rank < 0 ? json() : json(pu.speed_rank)}};
}

json kinds_json(const topology& machine) {
  auto kinds = json::array();
  for (std::size_t i = 0; i < machine.kinds.size(); ++i) {
    const auto& kind = machine.kinds[i];
    kinds.push_back(
        {{"core_type", kind.core_type.empty() ? json() : json(kind.core_type)},
         {"efficiency", kind.efficiency < 0 ? json() : json(kind.efficiency)},
         {"max_mhz", kind.max_mhz == 0 ? json() : json(kind.max_mhz)},
         {"pus", std::ranges::count(machine.pus, static_cast<int>(i), &processor::kind)}});
  }
  return kinds;
}

}  // namespace

std::string topology_text(const topology& machine, unsigned threads) {
  std::string text = headline(machine) + tree(machine);
  text += fmt::format("\npin plans for {}\n", counted(threads, "thread"));
  for (const auto& policy : all_pin_policies()) {
    const auto outcome = try_plan(machine, policy, threads);
    const auto* problem = std::get_if<std::string>(&outcome);
    text += fmt::format("  {:<8} {}\n", policy.text,
                        problem ? *problem : describe(std::get<pin_plan>(outcome)));
  }
  return text;
}

json topology_summary(const topology& machine) {
  return {{"packages", machine.packages()},
          {"numa_nodes", machine.numa_nodes()},
          {"l3_domains", machine.l3_domains()},
          {"cores", machine.has_cores ? json(machine.cores()) : json()},
          {"l3_bytes", machine.l3_bytes == 0 ? json() : json(machine.l3_bytes)},
          {"kinds", kinds_json(machine)}};
}

json topology_json(const topology& machine, unsigned threads) {
  auto report = topology_summary(machine);
  report["pus"] = json::array();
  for (const auto& pu : machine.pus) report["pus"].push_back(pu_json(pu));
  report["threads"] = threads;
  report["plans"] = json::array();
  for (const auto& policy : all_pin_policies()) {
    report["plans"].push_back(plan_json(policy, try_plan(machine, policy, threads)));
  }
  return report;
}

}  // namespace bb
