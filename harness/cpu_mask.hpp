#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace bb {

/// Affinity masks of threads as lists of CPU numbers, on machines of any size: a fixed cpu_set_t
/// stops at 1024 CPUs. `tid` 0 is the calling thread. All functions may be called from any thread.

/// Sorted; nothing when the kernel refuses (errno says why).
[[nodiscard]] std::optional<std::vector<unsigned>> get_affinity(pid_t tid);

/// False when the kernel refuses (errno says why). Success alone proves little: the kernel quietly
/// drops CPUs that are not allowed as long as one is left (util-linux/util-linux#1701), so read the
/// mask back.
[[nodiscard]] bool set_affinity(pid_t tid, const std::vector<unsigned>& cpus);

}  // namespace bb
