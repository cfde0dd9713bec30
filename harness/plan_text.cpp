// The text of `--dry-run`.

#include <fmt/format.h>

#include <map>

#include "harness/plan.hpp"
#include "harness/text.hpp"
#include "harness/units.hpp"

namespace bb {

std::string describe_plan(std::span<const planned_cell> cells, const measuring& how,
                          const topology& machine) {
  std::string out;
  std::size_t to_run = 0;
  for (const auto& c : cells) {
    const bool runs = c.body != nullptr;
    to_run += runs;
    out += fmt::format("{:<8} {:<44} {:<24} {:<8} {:>4} threads  {}\n", c.result.workload,
                       c.result.params.label(), c.result.runtime_label(), c.result.variant,
                       c.result.threads,
                       runs ? fmt::format("pin {}{}", c.pins.policy,
                                          c.pins.oversubscribed ? ", oversubscribed" : "")
                            : fmt::format("{}: {}", to_string(c.result.state), c.result.reason));
  }
  std::map<std::string, const pin_plan*> maps;
  for (const auto& c : cells)
    if (c.body != nullptr)
      maps.try_emplace(fmt::format("{} {:>5}", c.pins.policy, c.pins.threads), &c.pins);
  out += "\npin map (worker order: PUs by the operating system's number)\n";
  for (const auto& [name, pins] : maps) {
    std::vector<std::string> pus;
    for (const unsigned pu : pins->pus) pus.push_back(std::to_string(pu));
    out += fmt::format("  {} threads: {}   taskset -c {}\n", name,
                       pus.empty() ? "not bound" : join(pus, " "), pins->taskset());
  }
  const std::uint64_t ns = expected_trial_ns(how) * to_run * how.trials;
  out += fmt::format(
      "\n{} cells to run, {} trials each, on {} cores / {} PUs: about {} (slow cells up to {} "
      "each)\n",
      to_run, how.trials, machine.cores(), machine.pus.size(), format_ns(static_cast<double>(ns)),
      how.budget_ns == 0 ? "their time" : format_ns(static_cast<double>(how.budget_ns)));
  return out;
}

}  // namespace bb
