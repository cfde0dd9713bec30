#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/cgroup.hpp"
#include "harness/cpu_list.hpp"
#include "harness/cpu_settings.hpp"
#include "harness/doctor_checks.hpp"

namespace bb::doctor_checks {
namespace {

std::vector<unsigned> read_list(const system_root& root, std::string_view path) {
  auto cpus = read_cpu_list(root.read(path).value_or(""));
  std::ranges::sort(cpus);
  return cpus;
}

std::vector<unsigned> common(const std::vector<unsigned>& a, const std::vector<unsigned>& b) {
  std::vector<unsigned> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

/// Fourth word of /proc/loadavg: "running/all", this program among the running.
std::optional<std::int64_t> other_runnable_threads(const system_root& root) {
  const auto text = root.read("/proc/loadavg");
  const auto words = text ? split_words(*text) : std::vector<std::string_view>{};
  if (words.size() < 4) return std::nullopt;
  const auto running = to_number(words[3].substr(0, words[3].find('/')));
  return running ? std::optional(std::max<std::int64_t>(0, *running - 1)) : std::nullopt;
}

/// Share of steal in all CPU time since boot.
std::optional<double> steal_share(const system_root& root) {
  const auto text = root.read("/proc/stat");
  if (!text) return std::nullopt;
  const auto words = split_words(std::string_view(*text).substr(0, text->find('\n')));
  constexpr std::size_t steal = 8;
  if (words.size() <= steal || words[0] != "cpu") return std::nullopt;
  double total = 0;
  for (std::size_t i = 1; i <= steal; ++i) total += to_real(words[i]).value_or(0);
  return total > 0 ? std::optional(to_real(words[steal]).value_or(0) / total) : std::nullopt;
}

bool discharges(const system_root& root, const std::string& supply) {
  const auto folder = "/sys/class/power_supply/" + supply;
  return root.read(folder + "/type") == "Battery" && root.read(folder + "/status") == "Discharging";
}

}  // namespace

finding check_governor(const patient& who) {
  const auto governor = read_governor(who.root, who.budget.allowed);
  if (!governor)
    return unknown("governor", "no cpufreq here: the firmware or the host sets the clock");
  if (*governor == "performance") return ok("governor", *governor);
  return warn("governor", *governor,
              "the clock follows the load, so short runs and first samples are slower",
              "sudo cpupower frequency-set -g performance");
}

finding check_turbo(const patient& who) {
  const auto turbo = read_turbo(who.root);
  if (!turbo) return unknown("turbo", "no switch for it here: the firmware or the host decides");
  if (!*turbo) return ok("turbo", "off");
  const bool intel = who.root.exists("/sys/devices/system/cpu/intel_pstate/no_turbo");
  return warn("turbo", "on",
              "the clock depends on temperature and on how many cores work, so scaling looks worse",
              intel ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                    : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
}

finding check_smt(const patient& who) {
  const auto smt = read_smt(who.root);
  if (!smt) return unknown("smt", "the kernel does not say whether CPUs share cores");
  if (!*smt) return ok("smt", "off");
  return warn("smt", "on",
              "other programs on the sibling of a measured CPU take up to half of its speed",
              "echo off | sudo tee /sys/devices/system/cpu/smt/control");
}

finding check_isolation(const patient& who) {
  const auto isolated =
      common(read_list(who.root, "/sys/devices/system/cpu/isolated"), who.budget.allowed);
  const auto tickless =
      common(read_list(who.root, "/sys/devices/system/cpu/nohz_full"), who.budget.allowed);
  if (!tickless.empty() && who.root.exists("/sys/devices/system/cpu/intel_pstate")) {
    return warn("isolation", "nohz_full " + format_cpu_list(tickless),
                "intel_pstate sets the clock at the tick that nohz_full stops, so it may stay low",
                "boot without nohz_full, or with intel_pstate=disable");
  }
  if (!isolated.empty()) {
    return warn(
        "isolation", "isolcpus " + format_cpu_list(isolated),
        "threads are not balanced over isolated CPUs: with --pin=none all of them stay on one",
        "bb --pin=core");
  }
  return ok("isolation", tickless.empty() ? "none" : "nohz_full " + format_cpu_list(tickless));
}

finding check_quota(const patient& who) {
  const auto& quota = who.budget.quota;
  if (!quota) return ok("quota", "none");
  const auto throttling = read_cpu_throttling(who.root);
  const auto value = fmt::format("{:.2f} CPUs, throttled {} times so far", *quota,
                                 throttling ? throttling->times : 0);
  if (*quota >= static_cast<double>(who.budget.allowed.size())) return ok("quota", value);
  return warn("quota", value,
              "a cgroup stops all threads when they have used up the quota of a period",
              fmt::format("bb --threads={}, or raise cpu.max (docker: --cpus) of the group",
                          who.budget.threads()));
}

finding check_load(const patient& who) {
  const auto load = read_load(who.root);
  if (load.empty()) return unknown("load", "/proc/loadavg cannot be read");
  const auto value = fmt::format("{:.2f} {:.2f} {:.2f}", load[0], load[1], load[2]);
  const double much = std::max(0.5, 0.1 * who.budget.hardware);
  if (load[0] <= much) return ok("load", value);
  return warn("load", value, "other programs were busy in the last minute",
              "ps -eo pcpu,pid,comm --sort=-pcpu | head");
}

finding check_runnable(const patient& who) {
  const auto others = other_runnable_threads(who.root);
  if (!others) return unknown("runnable", "/proc/loadavg cannot be read");
  if (*others == 0) return ok("runnable", "no other thread");
  return warn("runnable", fmt::format("{} other thread{}", *others, *others == 1 ? "" : "s"),
              "somebody else wants the CPUs at this moment",
              "ps -eLo stat,psr,pcpu,pid,comm | grep '^R'");
}

finding check_steal(const patient& who) {
  const auto share = steal_share(who.root);
  if (!share) return unknown("steal", "/proc/stat does not tell");
  const auto value = fmt::format("{:.2f} % since boot", 100 * *share);
  if (*share <= 0.01) return ok("steal", value);
  return warn(
      "steal", value, "the hypervisor gives the CPUs to other guests",
      "measure on a host or an instance type with CPUs of its own; watch it with: vmstat 1");
}

finding check_battery(const patient& who) {
  for (const auto& supply : who.root.list("/sys/class/power_supply")) {
    if (!discharges(who.root, supply)) continue;
    return warn("battery", "discharging", "on battery the firmware lowers the clock",
                "plug in the charger");
  }
  return ok("battery", "not in use");
}

}  // namespace bb::doctor_checks
