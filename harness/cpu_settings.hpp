#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/system_files.hpp"

namespace bb {

/// Switches of the processor and the kernel as they stand now; both the machine record and `bb doctor` read them.
/// Nothing stands for "not known here".

/// Distinct values over the CPUs, joined by "+": "performance", "performance+powersave".
[[nodiscard]] std::optional<std::string> read_governor(const system_root& root,
                                                       const std::vector<unsigned>& cpus);
[[nodiscard]] std::optional<std::string> read_scaling_driver(const system_root& root,
                                                             const std::vector<unsigned>& cpus);

/// Lowest and highest clock that is set for any of the CPUs.
[[nodiscard]] std::optional<std::int64_t> read_min_mhz(const system_root& root,
                                                       const std::vector<unsigned>& cpus);
[[nodiscard]] std::optional<std::int64_t> read_max_mhz(const system_root& root,
                                                       const std::vector<unsigned>& cpus);

[[nodiscard]] std::optional<bool> read_turbo(const system_root& root);
[[nodiscard]] std::optional<bool> read_smt(const system_root& root);

/// The word in brackets of "always [madvise] never".
[[nodiscard]] std::optional<std::string> read_thp(const system_root& root);

/// The three figures of /proc/loadavg; empty when unknown.
[[nodiscard]] std::vector<double> read_load(const system_root& root);

}  // namespace bb
