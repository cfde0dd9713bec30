#pragma once
// Energy of the processor packages (RAPL). It is that of the whole package: other programs, idle cores and all.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/perf_counters.hpp"

namespace bb {

/// Reads the package energy counters, by perf's `power` events where they may be opened, else by powercap's files,
/// which most systems show to root alone. One thread at a time.
class energy_meter {
 public:
  /// `sys` is where sysfs is mounted; another folder in tests.
  explicit energy_meter(const std::filesystem::path& sys = "/sys");

  /// Marks the start of an interval.
  void begin();

  /// Joules of all packages since begin(); nothing if no counter is readable or the interval is shorter than 0.1 s,
  /// within which a counter that moves every millisecond says little. A powercap counter that wrapped round once is put
  /// right; one that may have done so twice (after some 40 minutes at 100 W) cannot be told.
  std::optional<double> joules() const;

  /// One sentence that says why there is no energy; empty if there is.
  const std::string& missing() const noexcept { return missing_; }

 private:
  // A counter of one package. It counts in units of `joules`, and starts again from 0 beyond `range`.
  struct package {
    perf_event event;
    std::filesystem::path file;
    double unit_joules;
    std::uint64_t range;
    std::optional<std::uint64_t> first{};

    std::optional<std::uint64_t> read() const;
    std::optional<double> used() const;
  };

  void open_perf(const std::filesystem::path& device);
  void open_powercap(const std::filesystem::path& folder);

  std::vector<package> packages_;
  std::int64_t begin_ns_ = 0;
  std::string missing_;
};

}  // namespace bb
