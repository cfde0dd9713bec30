#pragma once
// What a reader of a result should distrust, each kind with a word by which --no-warn silences it.

#include "harness/result.hpp"

namespace bb {

/// Every kind that there is.
std::vector<std::string> warning_kinds();

/// [{kind, text}]: of the machine (as bb doctor sees it), and of cells (steal, throttling, unsteady, too few samples).
json find_warnings(const run_result& r, const std::vector<std::string>& silenced);

}  // namespace bb
