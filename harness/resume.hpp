#pragma once
// Going on with an earlier, partial run: only where that means the same measurement.

#include <vector>

#include "harness/cell.hpp"
#include "harness/options.hpp"

namespace bb {

/// The options that a result was measured with. Throws input_error if it has none, or impossible ones.
run_options options_of(const run_result& r, const std::string& path);

/// Puts the trials of `done` into `cells`, and what is not this run's own into `now`. Throws input_error, touching
/// nothing, where machine, build or pin plan differ, or a measured cell is not in the plan: its samples would be lost,
/// or mixed with others that mean something else.
void go_on_from(const run_result& done, run_result& now, std::vector<planned_cell>& cells);

}  // namespace bb
