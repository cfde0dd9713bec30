#pragma once
// From what was asked to what will be done: the cells, and where their workers sit.

#include <span>
#include <string>
#include <vector>

#include "harness/cell.hpp"
#include "harness/options.hpp"
#include "harness/topology.hpp"

namespace bb {

/// What the plan needs to know of the machine.
struct planning_ground {
  topology machine;
  unsigned default_threads = 1;
  std::uint64_t available_bytes = 0;  // 0 = unknown
};

/// The thread counts of `text` (a list with the symbols max, cores, pus; empty = the default) as plain
/// numbers: "1,2,4".
std::string resolve_threads(const std::string& text, const planning_ground& ground);

/// Throws usage_error for a selection that cannot be, or that is empty.
std::vector<planned_cell> make_plan(const registry& table, const selection& what,
                                    const planning_ground& ground);

/// Text of `--dry-run`: every cell, the pin map, how long it takes.
std::string describe_plan(std::span<const planned_cell> cells, const measuring& how,
                          const topology& machine);

}  // namespace bb
