#pragma once
// The machine that a plan is made for: its PUs, how many threads it stands, its memory.

#include "harness/plan.hpp"

namespace bb {

struct ground : planning_ground {
  std::string source;  // empty: this machine
};

/// This machine, or the one described by `source` (hwloc XML or a synthetic description). Throws input_error.
ground find_ground(const std::string& source);

/// The machine record of a result.
json machine_of(const ground& g);

}  // namespace bb
