#include "harness/usage.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/clock.hpp"

namespace bb {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::int64_t shortest_split_ns = 500'000'000;

// The number after `key` and a colon in a file of such lines, as those of /proc are.
std::optional<std::int64_t> number_after(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == line.npos) continue;
    const auto digit = line.find_first_of("0123456789", colon);
    std::int64_t value = 0;
    if (digit == line.npos) return std::nullopt;
    std::from_chars(line.data() + digit, line.data() + line.size(), value);
    return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> kib_after(const fs::path& path, std::string_view key) {
  const auto kib = number_after(path, key);
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

// Sets the highest resident size to the present one (proc_pid_clear_refs(5)). Refused in some containers.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

std::uint64_t ns_of(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_usec) * 1'000;
}

rusage resources_used() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  return r;
}

void add_resources(usage& u, const rusage& begin, const rusage& end) {
  const auto grown = [](long from, long to) {
    return static_cast<std::uint64_t>(std::max(to - from, 0L));
  };
  u.voluntary_switches = grown(begin.ru_nvcsw, end.ru_nvcsw);
  u.involuntary_switches = grown(begin.ru_nivcsw, end.ru_nivcsw);
  u.minor_faults = grown(begin.ru_minflt, end.ru_minflt);
  u.major_faults = grown(begin.ru_majflt, end.ru_majflt);
  if (u.cpu_ns < shortest_split_ns) return;
  u.user_ns = ns_of(end.ru_utime) - ns_of(begin.ru_utime);
  u.system_ns = ns_of(end.ru_stime) - ns_of(begin.ru_stime);
}

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json counter_json(const std::optional<counter_value>& counter) {
  if (!counter) return nullptr;
  return {{"v", counter->count}, {"active", counter->active}};
}

}  // namespace

ordered_json cpu_json(const usage& u) {
  return {{"wall_ns", u.wall_ns},
          {"cpu_ns", u.cpu_ns},
          {"user_ns", or_null(u.user_ns)},
          {"system_ns", or_null(u.system_ns)},
          {"voluntary_switches", u.voluntary_switches},
          {"involuntary_switches", u.involuntary_switches},
          {"minor_faults", u.minor_faults},
          {"major_faults", u.major_faults},
          {"migrations", or_null(u.migrations)}};
}

ordered_json memory_json(const usage& u) {
  return {{"rss_growth_bytes", or_null(u.rss_growth_bytes)},
          {"peak_growth_bytes", or_null(u.peak_growth_bytes)}};
}

ordered_json counters_json(const usage& u) {
  return {{"cycles", counter_json(u.cycles)},
          {"instructions", counter_json(u.instructions)},
          {"user_mode_only", u.user_mode_only}};
}

task_migrations task_migrations::read() {
  task_migrations found;
  std::error_code failure;
  for (fs::directory_iterator at("/proc/self/task", failure), last; !failure && at != last;
       at.increment(failure)) {
    const auto count = number_after(at->path() / "sched", "se.nr_migrations");
    if (count)
      found.by_thread_[std::stoi(at->path().filename())] = static_cast<std::uint64_t>(*count);
  }
  return found;
}

std::optional<std::uint64_t> task_migrations::since(const task_migrations& begin) const {
  for (const auto& [thread, count] : begin.by_thread_)
    if (!by_thread_.contains(thread)) return std::nullopt;
  std::uint64_t sum = 0;
  for (const auto& [thread, count] : by_thread_) {
    const auto before = begin.by_thread_.find(thread);
    sum += count - (before == begin.by_thread_.end() ? 0 : before->second);
  }
  return by_thread_.empty() ? std::nullopt : std::optional(sum);
}

usage_meter::usage_meter() : peak_was_reset_(reset_peak()), start_(read_memory()) {}

void usage_meter::begin() {
  if (!counters_.counts_migrations()) begin_.migrations = task_migrations::read();
  energy_.begin();
  begin_.counters = counters_.read();
  begin_.resources = resources_used();
  begin_.cpu_ns = process_cpu_ns();
  begin_.wall_ns = now_ns();
}

usage usage_meter::end() {
  snapshot end;
  end.wall_ns = now_ns();
  end.cpu_ns = process_cpu_ns();
  end.resources = resources_used();
  end.counters = counters_.read();
  if (!counters_.counts_migrations()) end.migrations = task_migrations::read();

  usage u;
  u.wall_ns = static_cast<std::uint64_t>(end.wall_ns - begin_.wall_ns);
  u.cpu_ns = static_cast<std::uint64_t>(end.cpu_ns - begin_.cpu_ns);
  add_resources(u, begin_.resources, end.resources);
  const auto counted = perf_counters::between(begin_.counters, end.counters);
  u.cycles = counted.cycles;
  u.instructions = counted.instructions;
  u.user_mode_only = counters_.user_only();
  u.migrations =
      counters_.counts_migrations() ? counted.migrations : end.migrations.since(begin_.migrations);
  u.energy_j = energy_.joules();
  add_memory(u);
  add_notes(u);
  return u;
}

// Resident size from smaps_rollup, since the counters that /proc/self/status shows may lag by 128 KiB per CPU and more.
// It walks the page tables: some milliseconds per GiB.
usage_meter::memory usage_meter::read_memory() {
  auto rss = kib_after("/proc/self/smaps_rollup", "Rss:");
  if (!rss) rss = kib_after("/proc/self/status", "VmRSS:");
  return {rss, kib_after("/proc/self/status", "VmHWM:")};
}

void usage_meter::add_memory(usage& u) const {
  const auto now = read_memory();
  if (!start_.rss_bytes || !now.rss_bytes) return;
  u.rss_growth_bytes = *now.rss_bytes - *start_.rss_bytes;
  if (!start_.peak_bytes || !now.peak_bytes) return;
  // Without a reset, the peak may be older than the trial; if it rose since, it is not.
  if (!peak_was_reset_ && *now.peak_bytes <= *start_.peak_bytes) return;
  u.peak_growth_bytes =
      std::max({*now.peak_bytes - *start_.rss_bytes, *u.rss_growth_bytes, std::int64_t{0}});
}

void usage_meter::add_notes(usage& u) const {
  if (!counters_.missing().empty()) u.notes.push_back(counters_.missing());
  if (!energy_.missing().empty()) u.notes.push_back(energy_.missing());
  if (!u.migrations)
    u.notes.push_back(
        "migrations cannot be counted: no perf_event_open, and /proc/self/sched is missing or a "
        "thread ended");
  if (!u.peak_growth_bytes)
    u.notes.push_back(
        "peak memory is not known: /proc/self/clear_refs is refused and the peak is older than the "
        "trial");
}

}  // namespace bb
