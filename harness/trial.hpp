#pragma once
// One trial: one cell, once, in a process of its own. Check, warm up, calibrate, sample, and count what it cost.

#include "harness/cell_body.hpp"
#include "harness/pin.hpp"
#include "harness/result.hpp"

namespace bb {

struct trial_settings {
  std::uint64_t warmup_ns = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t min_batch_ns = 1'000'000;
  std::uint64_t most_first_run_ns =
      ~std::uint64_t{0};  // a slower first run ends the trial: did_not_finish
  unsigned samples = 0;   // exact number of samples; 0 = as many as fit into time_ns, at least one
};

/// What to run: pointers into the registry and the round's input.
struct trial_cell {
  const workload_info* workload;
  const body_info* body;
  const erased_input* input;
  values params;
  arm_values arm;
  unsigned threads;
  pin_plan pins;
};

/// Runs the trial in the calling process, which must be fresh, single-threaded and the trial's alone.
/// Returns {status, reason, samples: [v], record: {...}}; `record` is what the result keeps of the trial.
json run_trial(const trial_cell& cell, const trial_settings& settings);

}  // namespace bb
