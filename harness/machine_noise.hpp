#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/system_files.hpp"

namespace bb {

/// Time that others took from us and that no clock of our own shows: read it before and after a trial, and subtract.
/// A field without a value could not be read.
struct machine_noise {
  std::optional<std::uint64_t>
      steal_us;  ///< the hypervisor ran somebody else; summed over all CPUs, steps of 10 ms
  std::optional<std::uint64_t>
      throttled_us;  ///< stopped by a cgroup's CPU quota, summed over the levels of the tree
  std::optional<std::uint64_t> nr_throttled;  ///< how often

  bool operator==(const machine_noise&) const = default;
};

[[nodiscard]] machine_noise sample_machine_noise(const system_root& root = {});

/// Field by field; nothing where either side has nothing; 0 where a counter went backwards (the group was made anew).
[[nodiscard]] machine_noise operator-(const machine_noise& after, const machine_noise& before);

/// {steal_us, throttled_us, nr_throttled}, null where nothing is known.
[[nodiscard]] nlohmann::ordered_json to_json(const machine_noise& noise);

}  // namespace bb
