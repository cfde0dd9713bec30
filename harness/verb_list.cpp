#include <fmt/format.h>

#include <iostream>

#include "harness/cli_app.hpp"
#include "harness/options.hpp"
#include "harness/verbs.hpp"

namespace bb {
namespace {

std::vector<std::string> variants(const row& r, const workload_info& w) {
  std::vector<std::string> out;
  for (const auto* v : {"generic", "native"})
    if (find_body(r, w.id, v) != nullptr) out.emplace_back(v);
  return out;
}

json describe(const workload_info& w) {
  json parameters = json::array();
  for (const auto& p : w.parameters)
    parameters.push_back({{"name", p.name},
                          {"help", p.help},
                          {"choices", p.choices},
                          {"smoke", p.smoke},
                          {"full", p.full}});
  return {
      {"id", w.id}, {"summary", w.summary}, {"operation", w.operation}, {"parameters", parameters}};
}

json describe(const row& r) {
  json arms = json::array();
  for (const auto& a : r.arms)
    arms.push_back({{"key", a.key}, {"help", a.help}, {"values", a.values}});
  return {{"id", r.id},
          {"summary", r.summary},
          {"ours", r.ours},
          {"version", r.version != nullptr ? json(r.version()) : json(nullptr)},
          {"absent", r.absent.empty() ? json(nullptr) : json(r.absent)},
          {"arms", arms}};
}

json describe_all(const registry& table) {
  json out{{"workloads", json::array()}, {"runtimes", json::array()}, {"cells", json::array()}};
  for (const auto& w : table.workloads()) out["workloads"].push_back(describe(w));
  for (const auto& r : table.rows()) out["runtimes"].push_back(describe(r));
  for (const auto& w : table.workloads())
    for (const auto& r : table.rows()) {
      const auto found = variants(r, w);
      out["cells"].push_back(
          {{"workload", w.id},
           {"runtime", r.id},
           {"variants", found},
           {"reason", found.empty() ? json(absent_reason(r, w)) : json(nullptr)}});
    }
  return out;
}

void print_workload(const registry& table, const workload_info& w) {
  std::cout << fmt::format("\n{}: {} (op = {})\n", w.id, w.summary, w.operation);
  for (const auto& p : w.parameters)
    std::cout << fmt::format("  --{:<10} {} [{}]{}\n", p.name, p.help, p.full,
                             p.choices.empty() ? "" : fmt::format(", one of {}", p.choices));
  for (const auto& r : table.rows()) {
    const auto found = variants(r, w);
    std::string text;
    for (const auto& v : found) text += (text.empty() ? "" : ", ") + v;
    std::cout << fmt::format("    {:<12} {}\n", r.id,
                             found.empty() ? "absent: " + absent_reason(r, w) : text);
  }
}

}  // namespace

int verb_list(const registry& table, const arguments& args) {
  CLI::App app("Workloads, runtimes and every cell, with the reason of each empty one.", "list");
  bool as_json = false;
  app.add_flag("--json", as_json, "as JSON");
  if (!parse_arguments(app, args)) return 0;
  if (as_json) {
    std::cout << describe_all(table).dump(1) << "\n";
    return 0;
  }
  std::cout << "runtimes\n";
  for (const auto& r : table.rows()) {
    std::cout << fmt::format("  {:<12} {}{}\n", r.id, r.summary, r.ours ? " (ours)" : "");
    for (const auto& a : r.arms)
      std::cout << fmt::format("    {}/{}={}  {}\n", r.id, a.key, a.values, a.help);
    if (!r.absent.empty()) std::cout << fmt::format("    absent: {}\n", r.absent);
  }
  for (const auto& w : table.workloads()) print_workload(table, w);
  return 0;
}

}  // namespace bb
