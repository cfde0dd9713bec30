#pragma once
// The command line of `bb run`: options to run_options. Every option has a long name, takes --key=value or --key value,
// and may come from an environment variable BB_KEY or a TOML file (--config).

#include <optional>
#include <string>
#include <vector>

#include "harness/options.hpp"
#include "harness/registry.hpp"

namespace bb {

/// Nothing when --help was asked for (it is then printed). Throws usage_error.
std::optional<run_options> parse_run(const registry& table,
                                     const std::vector<std::string>& arguments);

}  // namespace bb
