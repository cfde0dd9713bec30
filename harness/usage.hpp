#pragma once
// What a trial costs beside its time: CPU time, switches, migrations, faults, memory, counters, energy.

#include <sys/resource.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "harness/energy.hpp"
#include "harness/perf_counters.hpp"

namespace bb {

/// Nothing = not available here, never 0.
struct usage {
  std::uint64_t wall_ns = 0;
  std::uint64_t cpu_ns = 0;  // all threads of the process, ended ones included

  // The split of CPU time is sampled at scheduler ticks: only from 0.5 s of CPU time on does it say anything.
  std::optional<std::uint64_t> user_ns, system_ns;

  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;  // all threads
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::optional<std::uint64_t> migrations;  // of threads between CPUs

  // Resident memory beyond that at the start of the trial (of the usage_meter): at the end, and at its highest.
  std::optional<std::int64_t> rss_growth_bytes, peak_growth_bytes;

  std::optional<counter_value> cycles, instructions;
  bool user_mode_only = false;     // cycles and instructions leave the kernel out
  std::optional<double> energy_j;  // of whole processor packages

  std::vector<std::string> notes;  // why something above is missing, a sentence each
};

/// `{wall_ns, cpu_ns, user_ns, system_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults,
/// migrations}` for a cell's `cpu`; `{rss_growth_bytes, peak_growth_bytes}` for its `memory`;
/// `{cycles: {v, active}, instructions: {v, active}, user_mode_only}` for `counters`. null for what is not available.
nlohmann::ordered_json cpu_json(const usage& u);
nlohmann::ordered_json memory_json(const usage& u);
nlohmann::ordered_json counters_json(const usage& u);

/// Migrations by thread as the scheduler counts them in /proc/self/task/*/sched: for where no counter may be opened.
class task_migrations {
 public:
  task_migrations() = default;
  explicit task_migrations(std::map<int, std::uint64_t> by_thread)
      : by_thread_(std::move(by_thread)) {}

  /// The threads of this process now; empty if the kernel does not show them.
  static task_migrations read();

  /// Migrations since `begin`, of the threads that live now. Nothing if none are shown or a thread of `begin` has
  /// ended: its count is lost, and the sum would be too low.
  std::optional<std::uint64_t> since(const task_migrations& begin) const;

 private:
  std::map<int, std::uint64_t> by_thread_;
};

/// Measures the usage of one process. Create it at the start of a trial, before any thread is started: counters follow
/// only threads that begin later, and memory is counted from here on. Then any number of begin() ... end() intervals.
/// One thread at a time.
class usage_meter {
 public:
  usage_meter();

  /// begin() reads the clock last and end() reads it first, so that the cost of reading all the rest (some 50 us) is
  /// not in the interval's times, and only its switches and faults count a little too many.
  void begin();
  usage end();

 private:
  struct snapshot {
    std::int64_t wall_ns = 0, cpu_ns = 0;
    rusage resources{};
    perf_counters::snapshot counters;
    task_migrations migrations;  // only where no counter is open for them
  };
  struct memory {
    std::optional<std::int64_t> rss_bytes, peak_bytes;
  };

  static memory read_memory();
  void add_memory(usage& u) const;
  void add_notes(usage& u) const;

  perf_counters counters_;
  energy_meter energy_;
  bool peak_was_reset_;
  memory start_;
  snapshot begin_;
};

}  // namespace bb
