#pragma once
// What all verbs share of CLI11: help, environment names, and errors as one sentence.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bb {

/// Parses; false when --help was asked for and printed. Throws usage_error, with the nearest name for an unknown
/// option.
bool parse_arguments(CLI::App& app, const std::vector<std::string>& arguments);

/// BB_MIN_TIME for --min-time, for every option of `app`.
void name_environment(CLI::App& app);

}  // namespace bb
