#pragma once
// Figures that are slopes: the cells that differ only in one parameter, and the line through their times. For workloads
// that declare a series_spec (cell_body.hpp); their trials record it, so a stored result is enough.

#include <optional>
#include <string>
#include <vector>

#include "harness/result.hpp"
#include "harness/stats.hpp"

namespace bb {

/// The line of one runtime, arm, variant and number of threads. In each round the cells of that round give one line, by
/// least squares; slope and intercept here are the medians over the rounds, and the interval is that of their order.
struct series_fit {
  const cell_result* cell = nullptr;  // the first of its cells: who it is
  std::string title;                  // workload and the parameters that stay the same
  std::string parameter;              // over whose values the line goes
  std::string slope_unit, intercept_unit;
  double slope = 0, intercept = 0;
  std::optional<interval> slope95 = {};  // none below 6 rounds
  std::size_t points = 0;                // values of the parameter
};

/// In the order of the cells. A series of fewer than two measured values has no line and is left out.
std::vector<series_fit> fit_series(const run_result& r);

/// The fits as they stand in a result file.
json series_json(const run_result& r);

/// The fits as an aligned table for the terminal, "" where there are none.
std::string series_table(const run_result& r);

}  // namespace bb
