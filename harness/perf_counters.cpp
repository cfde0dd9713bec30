#include "harness/perf_counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace bb {
namespace {

int open_event(perf_event_attr attributes, pid_t process, int cpu) noexcept {
  attributes.size = sizeof attributes;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, process, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

std::optional<int> paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  return file >> level ? std::optional(level) : std::nullopt;
}

}  // namespace

std::optional<counter_value> between(const counter_reading& begin,
                                     const counter_reading& end) noexcept {
  if (end.running_ns <= begin.running_ns || end.value < begin.value ||
      end.enabled_ns < begin.enabled_ns)
    return std::nullopt;
  // In double: value times time leaves 64 bits within minutes.
  const auto value = static_cast<double>(end.value - begin.value);
  const auto enabled = static_cast<double>(end.enabled_ns - begin.enabled_ns);
  const auto running = static_cast<double>(end.running_ns - begin.running_ns);
  const auto scale = std::max(enabled / running, 1.0);
  return counter_value{value * scale, 1 / scale};
}

perf_event::perf_event(std::uint32_t type, std::uint64_t config, bool user_only) noexcept {
  perf_event_attr attributes{};
  attributes.type = type;
  attributes.config = config;
  attributes.inherit = 1;
  attributes.exclude_kernel = user_only;
  attributes.exclude_hv = 1;
  descriptor_ = open_event(attributes, 0, -1);
}

perf_event perf_event::of_cpu(std::uint32_t type, std::uint64_t config, int cpu) noexcept {
  perf_event_attr attributes{};
  attributes.type = type;
  attributes.config = config;
  perf_event event;
  event.descriptor_ = open_event(attributes, -1, cpu);
  return event;
}

perf_event::perf_event(perf_event&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

perf_event& perf_event::operator=(perf_event&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

perf_event::~perf_event() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<counter_reading> perf_event::read() const noexcept {
  std::uint64_t words[3];
  if (descriptor_ < 0 || ::read(descriptor_, words, sizeof words) != sizeof words)
    return std::nullopt;
  return counter_reading{words[0], words[1], words[2]};
}

perf_counters::perf_counters()
    : cycles_(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false),
      instructions_(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false),
      migrations_(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false) {
  if (cycles_) return;
  cycles_ = perf_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true);
  const int error = errno;
  instructions_ = perf_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true);
  user_only_ = static_cast<bool>(cycles_);
  if (!cycles_) missing_ = explain_perf_failure(error, paranoid());
}

perf_counters::snapshot perf_counters::read() const noexcept {
  return {cycles_.read(), instructions_.read(), migrations_.read()};
}

counters perf_counters::between(const snapshot& begin, const snapshot& end) noexcept {
  const auto difference = [](const auto& from, const auto& to) {
    return from && to ? bb::between(*from, *to) : std::nullopt;
  };
  counters result{
      difference(begin.cycles, end.cycles), difference(begin.instructions, end.instructions), {}};
  if (begin.migrations && end.migrations)
    result.migrations = end.migrations->value - begin.migrations->value;
  return result;
}

std::string explain_perf_failure(int error, std::optional<int> paranoid) {
  if (error == EACCES || error == EPERM) {
    if (paranoid.value_or(0) > 2)
      return fmt::format(
          "hardware counters are refused: kernel.perf_event_paranoid is {}; "
          "`sysctl kernel.perf_event_paranoid=2` allows them",
          *paranoid);
    return "hardware counters are refused, probably by a container's seccomp filter; CAP_PERFMON "
           "allows them";
  }
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return "this processor shows no hardware counters, as in most virtual machines";
  if (error == ENOSYS) return "the kernel is built without perf_event_open";
  return fmt::format("hardware counters cannot be opened: {}", std::strerror(error));
}

}  // namespace bb
