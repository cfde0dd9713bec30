#include "harness/machine.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "harness/cpu_list.hpp"
#include "harness/cpu_settings.hpp"
#include "harness/topology_report.hpp"

namespace bb {
namespace {

using json = nlohmann::ordered_json;

template <typename Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

/// x86 has "model name", POWER "cpu", MIPS "cpu model"; ARM only numbers.
std::optional<std::string> cpu_model(const std::string& cpuinfo) {
  for (const auto* key : {"model name", "cpu model", "cpu"}) {
    if (const auto name = find_field(cpuinfo, key)) return std::string(*name);
  }
  const auto implementer = find_field(cpuinfo, "CPU implementer");
  const auto part = find_field(cpuinfo, "CPU part");
  if (!implementer || !part) return std::nullopt;
  return fmt::format("implementer {} part {}", *implementer, *part);
}

/// x86 guests have a CPU flag for it; elsewhere only a hypervisor that names itself can be seen.
std::optional<bool> virtualised(const std::string& cpuinfo, const system_root& root) {
  if (root.exists("/sys/hypervisor/type")) return true;
  const auto flags = find_field(cpuinfo, "flags");
  if (!flags) return std::nullopt;
  const auto words = split_words(*flags);
  return std::ranges::find(words, "hypervisor") != words.end();
}

std::optional<std::string> hypervisor_vendor(const system_root& root) {
  if (auto type = root.read("/sys/hypervisor/type")) return type;
  return root.read("/sys/class/dmi/id/sys_vendor");
}

std::optional<std::int64_t> memory_bytes(const system_root& root) {
  const auto text = root.read("/proc/meminfo");
  const auto field = text ? find_field(*text, "MemTotal") : std::nullopt;
  const auto kib = field ? to_number(field->substr(0, field->find(' '))) : std::nullopt;
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

void add_processor(json& record, const std::string& cpuinfo) {
  utsname name{};
  record["cpu"] = or_null(cpu_model(cpuinfo));
  record["architecture"] = ::uname(&name) == 0 ? json(name.machine) : json();
}

void add_budget(json& record, const cpu_budget& budget) {
  record["allowed"] = budget.allowed.empty() ? json() : json(format_cpu_list(budget.allowed));
  record["quota"] = or_null(budget.quota);
  record["default_threads"] = budget.threads();
}

void add_clocks(json& record, const system_root& root, const std::vector<unsigned>& cpus) {
  record["governor"] = or_null(read_governor(root, cpus));
  record["scaling_driver"] = or_null(read_scaling_driver(root, cpus));
  record["min_mhz"] = or_null(read_min_mhz(root, cpus));
  record["max_mhz"] = or_null(read_max_mhz(root, cpus));
  record["turbo"] = or_null(read_turbo(root));
  record["smt"] = or_null(read_smt(root));
}

void add_kernel(json& record, const system_root& root) {
  record["kernel"] = or_null(root.read("/proc/sys/kernel/osrelease"));
  record["libc"] = fmt::format("glibc {}", ::gnu_get_libc_version());
  record["clock_source"] =
      or_null(root.read("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  record["thp"] = or_null(read_thp(root));
  record["aslr"] = or_null(root.read_number("/proc/sys/kernel/randomize_va_space"));
  record["perf_event_paranoid"] = or_null(root.read_number("/proc/sys/kernel/perf_event_paranoid"));
  record["io_uring_disabled"] = or_null(root.read_number("/proc/sys/kernel/io_uring_disabled"));
}

void add_load(json& record, const system_root& root, const std::string& cpuinfo) {
  const auto load = read_load(root);
  const auto guest = virtualised(cpuinfo, root);
  record["memory_bytes"] = or_null(memory_bytes(root));
  record["page_bytes"] = ::sysconf(_SC_PAGESIZE);
  record["load"] = load.empty() ? json() : json(load);
  record["virtualised"] = or_null(guest);
  record["hypervisor"] = guest.value_or(false) ? or_null(hypervisor_vendor(root)) : json();
}

}  // namespace

json machine_record(const topology& machine, const cpu_budget& budget, const system_root& root) {
  const auto cpuinfo = root.read("/proc/cpuinfo").value_or("");
  auto record = json::object();
  add_processor(record, cpuinfo);
  record.update(topology_summary(machine));
  record["pus"] = machine.pus.size();
  add_budget(record, budget);
  add_clocks(record, root, machine.os_indexes());
  add_kernel(record, root);
  add_load(record, root, cpuinfo);
  return record;
}

}  // namespace bb
