#include "harness/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/doctor_checks.hpp"

namespace bb {
namespace {

using namespace doctor_checks;

finding check_build(bool debug_build) {
  if (!debug_build) return ok("build", "optimised");
  return warn("build", "debug or sanitizers",
              "unoptimised code measures the compiler, not the runtimes",
              "cmake --preset release && cmake --build --preset release");
}

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

std::vector<finding> examine_machine(bool debug_build, const system_root& root) {
  const patient who{root, read_cpu_budget(root)};
  std::vector<finding> findings{check_build(debug_build)};
  for (const auto check :
       {check_governor, check_turbo, check_smt, check_isolation, check_quota, check_load,
        check_runnable, check_steal, check_battery, check_thp, check_aslr, check_clock_source,
        check_perf_event_paranoid, check_io_uring, check_memlock, check_rapl}) {
    findings.push_back(check(who));
  }
  return findings;
}

std::string doctor_table(std::span<const finding> findings) {
  std::size_t widest = 0;
  for (const auto& found : findings) widest = std::max(widest, found.id.size());
  std::string table;
  for (const auto& found : findings) {
    table +=
        fmt::format("{:<{}}  {:<7}  {}\n", found.id, widest, to_string(found.state), found.value);
    if (!found.why.empty()) table += fmt::format("{:{}}           {}\n", "", widest, found.why);
    if (!found.remedy.empty())
      table += fmt::format("{:{}}           > {}\n", "", widest, found.remedy);
  }
  return table;
}

nlohmann::ordered_json to_json(std::span<const finding> findings) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& found : findings) {
    list.push_back({{"id", found.id},
                    {"state", to_string(found.state)},
                    {"value", found.value},
                    {"why", or_null(found.why)},
                    {"remedy", or_null(found.remedy)}});
  }
  return list;
}

bool has_warning(std::span<const finding> findings) noexcept {
  return std::ranges::any_of(findings,
                             [](const auto& found) { return found.state == finding_state::warn; });
}

std::string_view to_string(finding_state state) noexcept {
  switch (state) {
    case finding_state::ok:
      return "ok";
    case finding_state::warn:
      return "warn";
    case finding_state::unknown:
      break;
  }
  return "unknown";
}

}  // namespace bb
