#pragma once
// Hardware counters and task migrations of this process, through perf_event_open(2).
//
// A counter that is opened counts the opening thread and every thread started by it later, ended ones included. So open
// them at the start of a trial, before a runtime starts its workers, and take differences of readings.

#include <cstdint>
#include <optional>
#include <string>

namespace bb {

/// What the kernel says of one counter: it counted for `running` of the `enabled` nanoseconds, since counters take
/// turns when there are more than the processor has. Both times add up over threads.
struct counter_reading {
  std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
  bool operator==(const counter_reading&) const = default;
};

/// The count between two readings.
struct counter_value {
  double count;   // scaled by enabled / running
  double active;  // share of the time in which it really counted, 0 to 1
};

/// Nothing if the counter never ran in between, since nothing times anything is still not a measurement.
std::optional<counter_value> between(const counter_reading& begin,
                                     const counter_reading& end) noexcept;

/// One open counter, or none. Movable; one thread at a time.
class perf_event {
 public:
  perf_event() = default;
  /// `type` and `config` as in perf_event_attr. On failure holds nothing, and errno says why.
  perf_event(std::uint32_t type, std::uint64_t config, bool user_only) noexcept;
  /// A counter of a whole CPU, for energy.
  static perf_event of_cpu(std::uint32_t type, std::uint64_t config, int cpu) noexcept;

  perf_event(perf_event&& other) noexcept;
  perf_event& operator=(perf_event&& other) noexcept;
  ~perf_event();

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  std::optional<counter_reading> read() const noexcept;

 private:
  int descriptor_ = -1;
};

/// What the counters say of an interval; nothing for each that is not available.
struct counters {
  std::optional<counter_value> cycles, instructions;
  std::optional<std::uint64_t> migrations;
};

/// The counters of a trial.
class perf_counters {
 public:
  struct snapshot {
    std::optional<counter_reading> cycles, instructions, migrations;
  };

  /// Opens what this machine allows: cycles and instructions in kernel and user mode, else in user mode alone; and
  /// migrations, which happen in the kernel and cannot be had without it.
  perf_counters();

  /// A system call per counter.
  snapshot read() const noexcept;
  static counters between(const snapshot& begin, const snapshot& end) noexcept;

  bool user_only() const noexcept { return user_only_; }
  bool counts_migrations() const noexcept { return static_cast<bool>(migrations_); }
  /// One sentence that says why cycles and instructions are missing; empty if they are there.
  const std::string& missing() const noexcept { return missing_; }

 private:
  perf_event cycles_, instructions_, migrations_;
  bool user_only_ = false;
  std::string missing_;
};

/// Why perf_event_open failed with `error`, and what would mend it. `paranoid` is kernel.perf_event_paranoid.
std::string explain_perf_failure(int error, std::optional<int> paranoid);

}  // namespace bb
