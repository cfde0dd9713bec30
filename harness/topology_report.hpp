#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/topology.hpp"

namespace bb {

/// What `bb topology` prints: the machine as a tree of packages, last-level cache domains and cores with their PUs (by
/// the system's numbers) and kinds, then what each pin policy would do with `threads` workers: the taskset line and
/// the PU of each worker, or why the policy cannot be had here.

[[nodiscard]] std::string topology_text(const topology& machine, unsigned threads);

/// {packages, numa_nodes, l3_domains, cores, l3_bytes, kinds: [{core_type, efficiency, max_mhz, pus}]}, null for what
/// is not known. Kinds are those that hwloc sees, real or not.
[[nodiscard]] nlohmann::ordered_json topology_summary(const topology& machine);

/// The summary, and
/// {pus: [{os_index, logical, core, package, numa_node, l3, smt_rank, kind, speed_rank}],
///  threads, plans: [{policy, taskset, oversubscribed, planned: [...]} or {policy, problem}]}
[[nodiscard]] nlohmann::ordered_json topology_json(const topology& machine, unsigned threads);

}  // namespace bb
