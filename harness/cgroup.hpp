#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/system_files.hpp"

namespace bb {

/// What the cgroups of this process, versions 1 and 2, say about CPU time. A limit anywhere between the process's own
/// group and the top of the visible tree binds, so every level is read.

/// Directories of the CPU controller from the process's own group up to the mount point; empty without one.
struct cgroup_levels {
  std::vector<std::string> v1;
  std::vector<std::string> v2;
};

[[nodiscard]] cgroup_levels find_cgroup_levels(const system_root& root);

/// The tightest quota of all levels in CPUs (1.5 = 150 ms of CPU time in each 100 ms); nothing when there is no limit.
[[nodiscard]] std::optional<double> read_cpu_quota(const system_root& root);

/// Summed over all levels since the groups were made: how often and for how long their members were stopped for having
/// used up a quota. Counts everybody in the groups, not this process alone.
struct cpu_throttling {
  std::uint64_t times = 0;
  std::uint64_t microseconds = 0;
};

/// Nothing when no level tells.
[[nodiscard]] std::optional<cpu_throttling> read_cpu_throttling(const system_root& root);

}  // namespace bb
