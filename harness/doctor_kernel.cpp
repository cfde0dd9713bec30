#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/cpu_settings.hpp"
#include "harness/doctor_checks.hpp"

namespace bb::doctor_checks {
namespace {

constexpr std::int64_t mib = 1 << 20;

constexpr unsigned cap_sys_admin = 21;
constexpr unsigned cap_ipc_lock = 14;
constexpr unsigned cap_perfmon = 38;

bool has_capability(const system_root& root, unsigned capability) {
  const auto status = root.read("/proc/self/status");
  const auto field = status ? find_field(*status, "CapEff") : std::nullopt;
  if (!field) return false;
  std::uint64_t mask = 0;
  std::from_chars(field->data(), field->data() + field->size(), mask, 16);
  return (mask >> capability & 1) != 0;
}

bool seccomp_filters(const system_root& root) {
  const auto status = root.read("/proc/self/status");
  return status && find_field(*status, "Seccomp") == "2";
}

/// Soft limit in /proc/self/limits: "Max locked memory  8388608  8388608  bytes"; -1 for unlimited.
std::optional<std::int64_t> memlock_limit(const system_root& root) {
  constexpr std::string_view name = "Max locked memory";
  const auto text = root.read("/proc/self/limits");
  if (!text) return std::nullopt;
  for (const auto line : split_lines(*text)) {
    if (!line.starts_with(name)) continue;
    const auto words = split_words(line.substr(name.size()));
    if (words.empty()) return std::nullopt;
    return words[0] == "unlimited" ? std::optional<std::int64_t>(-1) : to_number(words[0]);
  }
  return std::nullopt;
}

/// Sources that user space reads without a system call.
bool quick_clock(std::string_view source) {
  constexpr std::array quick{
      "tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase", "tod",
      "stp"};
  return std::ranges::find(quick, source) != quick.end();
}

bool offers(const system_root& root, std::string_view source) {
  const auto text =
      root.read("/sys/devices/system/clocksource/clocksource0/available_clocksource").value_or("");
  const auto words = split_words(text);
  return std::ranges::find(words, source) != words.end();
}

}  // namespace

finding check_thp(const patient& who) {
  const auto thp = read_thp(who.root);
  if (!thp) return unknown("thp", "the kernel has no transparent huge pages, or hides the switch");
  if (*thp != "always") return ok("thp", *thp);
  return warn(
      "thp", *thp,
      "whether memory gets huge pages depends on the luck of its address and on free memory",
      "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled, or bb --thp=off");
}

finding check_aslr(const patient& who) {
  const auto level = who.root.read_number("/proc/sys/kernel/randomize_va_space");
  if (!level) return unknown("aslr", "kernel.randomize_va_space cannot be read");
  if (*level == 2) return ok("aslr", "2 (full)");
  return warn(
      "aslr", fmt::format("{}", *level),
      "every trial gets the same memory layout, so a lucky or unlucky one looks like a result",
      "sudo sysctl kernel.randomize_va_space=2");
}

finding check_clock_source(const patient& who) {
  const auto source =
      who.root.read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source) return unknown("clock_source", "the kernel does not say which clock it reads");
  if (quick_clock(*source)) return ok("clock_source", *source);
  return warn(
      "clock_source", *source, "each reading of the clock is a system call or slow hardware",
      offers(who.root, "tsc")
          ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
          : "see why the kernel gave up on tsc: dmesg | grep -i -e tsc -e clocksource");
}

finding check_perf_event_paranoid(const patient& who) {
  const auto level = who.root.read_number("/proc/sys/kernel/perf_event_paranoid");
  if (!level)
    return unknown("perf_event_paranoid", "the kernel has no perf events, or hides the switch");
  if (*level <= 1) return ok("perf_event_paranoid", fmt::format("{}", *level));
  if (has_capability(who.root, cap_perfmon) || has_capability(who.root, cap_sys_admin)) {
    return ok("perf_event_paranoid", fmt::format("{}, and this process is privileged", *level));
  }
  return warn("perf_event_paranoid", fmt::format("{}", *level),
              *level == 2 ? "hardware counters leave out the kernel's part"
                          : "hardware counters are refused",
              "sudo sysctl kernel.perf_event_paranoid=1");
}

finding check_io_uring(const patient& who) {
  const auto disabled = who.root.read_number("/proc/sys/kernel/io_uring_disabled");
  if (disabled.value_or(0) != 0) {
    return warn(
        "io_uring", fmt::format("io_uring_disabled = {}", *disabled),
        *disabled == 1
            ? "only members of kernel.io_uring_group may use it: cells that need it are absent"
            : "cells that need it are absent",
        "sudo sysctl kernel.io_uring_disabled=0");
  }
  if (seccomp_filters(who.root)) {
    return unknown(
        "io_uring",
        "a seccomp filter is active and may refuse it (containers: --security-opt seccomp=...)");
  }
  if (!disabled)
    return unknown("io_uring", "a kernel without this switch: before 6.6, or without io_uring");
  return ok("io_uring", "allowed");
}

finding check_memlock(const patient& who) {
  const auto limit = memlock_limit(who.root);
  if (!limit) return unknown("memlock", "/proc/self/limits cannot be read");
  if (*limit < 0) return ok("memlock", "unlimited");
  const auto value = fmt::format("{} KiB", *limit / 1024);
  if (*limit >= 8 * mib) return ok("memlock", value);
  if (has_capability(who.root, cap_ipc_lock))
    return ok("memlock", value + ", and this process is privileged");
  return warn("memlock", value, "rings and registered buffers of io_uring do not fit",
              "ulimit -l unlimited, or LimitMEMLOCK=infinity in the service");
}

finding check_rapl(const patient& who) {
  constexpr std::string_view counter = "/sys/class/powercap/intel-rapl:0/energy_uj";
  if (!who.root.exists(counter))
    return unknown("rapl", "no energy counter here: energy is null in results");
  if (who.root.read_number(counter)) return ok("rapl", "readable");
  return warn("rapl", "not readable",
              "the counter is for root alone since Linux 5.10: energy is null in results",
              "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj");
}

}  // namespace bb::doctor_checks
