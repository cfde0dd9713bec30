#pragma once

#include <optional>
#include <vector>

#include "harness/system_files.hpp"

namespace bb {

/// How many threads this process can really run at once. Programs that look only at the number of CPUs of the machine
/// run many times slower inside a container with a quota (uxlfoundation/oneTBB#190, #1760).
struct cpu_budget {
  unsigned hardware = 1;  ///< CPUs online; 1 when unknown
  std::vector<unsigned>
      allowed;  ///< online CPUs inside both the cpuset and the affinity mask, sorted
  std::optional<double> quota;  ///< CPUs' worth of time per period by cgroup; nothing = unlimited

  /// min(hardware, allowed, ceil(quota)), at least 1: the default of --threads.
  [[nodiscard]] unsigned threads() const noexcept;
};

/// Reads /proc/self/status, /sys/devices/system/cpu/online and the cgroups. What is missing does not limit. Read it
/// before `confine_process`: the mask of the main thread counts.
[[nodiscard]] cpu_budget read_cpu_budget(const system_root& root = {});

}  // namespace bb
