#pragma once
// What `bb run` was asked to do, as plain values. Made by the command line (cli), stored in the result so that
// `bb resume` can go on, turned into cells by plan.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/pages.hpp"
#include "harness/result.hpp"

namespace bb {

/// Which cells.
struct selection {
  std::string workloads = "all";  // ids, comma-separated
  std::string runtimes = "all";   // ids and arms, comma-separated
  std::string variant = "best";   // best | generic | native | all
  std::string threads;            // list; empty = the default thread count
  std::string pins = "core";      // policies, comma-separated (a list: policy keeps its commas)
  std::map<std::string, std::string> params;  // parameter -> list, as written
  std::vector<std::string> filters;           // regular expressions; a leading '-' negates
  bool full = false;                          // large inputs at every thread count
  bool smoke = false;                         // the workloads' smoke sizes, one short trial

  bool operator==(const selection&) const = default;
};

/// How each cell is measured.
struct measuring {
  std::uint64_t time_ns = 300'000'000;  // timed part of a trial
  std::uint64_t warmup_ns = 100'000'000;
  std::uint64_t cooldown_ns = 0;  // pause before each trial
  std::uint64_t timeout_ns = 120'000'000'000;
  std::uint64_t budget_ns = 10'000'000'000;  // wall time for all trials of a cell; 0 = no bound
  unsigned samples = 0;                      // per trial; 0 = as many as fit into time_ns
  unsigned trials = 7;
  unsigned max_trials = 30;  // cap of --precision
  double precision = 0;  // wanted half width of the interval / median; 0 = fixed number of trials
  std::uint64_t seed = 0;
  std::string thp = "system";  // system | off | on
  std::string membind = "none";
};

struct run_options {
  selection what;
  measuring how;
  bool require = false;
  bool dry_run = false;
  bool quiet = false;
  std::string topology;  // plan for this machine instead; empty = here
  std::string setup, cleanup;
  std::string json_path, csv_path, markdown_path;
  std::vector<std::string> no_warn;
  std::vector<std::string> tags;
  std::vector<std::string> argv;
};

json to_json(const run_options& o);
run_options run_options_from_json(const json& settings);

/// Throws usage_error naming the option whose value cannot be.
void validate(const measuring& how);

thp_policy parse_thp(std::string_view word);

}  // namespace bb
