#pragma once
// A cell that is to be measured, and the order in which a round takes the cells.

#include <span>
#include <string>
#include <vector>

#include "harness/options.hpp"
#include "harness/pin.hpp"
#include "harness/registry.hpp"

namespace bb {

/// One cell of a plan. `body` is null exactly when the cell's status is not ok before anything ran.
struct planned_cell {
  const workload_info* workload = nullptr;
  const row* runtime = nullptr;
  const body_info* body = nullptr;
  arm_values arm = {};
  pin_plan pins = {};
  values input = {};        // the parameters that the input depends on: cells of a round share it
  cell_result result = {};  // identity and status; the runner adds samples
};

/// Cells of one round that share an input, in the order in which they run.
struct round_part {
  std::vector<std::size_t> cells;  // indexes into the plan
  std::size_t padding = 0;         // bytes of environment to move the layout by
};

/// The order of round `round`: parts at random, cells at random within a part; a function of seed and round alone, so
/// that a resumed run goes on as it would have.
std::vector<round_part> order_round(std::span<const planned_cell> cells, std::uint64_t seed,
                                    unsigned round);

/// Wall time of one trial before anything is known of the cell.
std::uint64_t expected_trial_ns(const measuring& how);

json to_json(const pin_plan& p);

}  // namespace bb
