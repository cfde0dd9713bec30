#pragma once
// One run from the options to the written result: what `bb run` and `bb resume` share.

#include "harness/options.hpp"
#include "harness/registry.hpp"

namespace bb {

/// Exit codes: 0 all cells ok, absent, skipped or did_not_finish; 1 some failed, wrong or timed out; 6 output not
/// written; 130 interrupted. `done` is an earlier, partial result to go on from, or null.
/// The result goes to `into` too where that is not null.
int run_session(const registry& table, const run_options& options, const run_result* done,
                run_result* into = nullptr);

/// 0 or 1 by the states of the cells.
int exit_code_of(const run_result& r);

}  // namespace bb
