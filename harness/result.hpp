#pragma once
// A result file in memory (schema "bb/1", docs/SCHEMA.md): what was asked, on what machine, and each cell with its raw
// samples. Summaries are always made anew from the samples, never read back.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/params.hpp"

namespace bb {

using json = nlohmann::ordered_json;

enum class status { ok, did_not_finish, timeout, wrong, failed, absent, skipped };
std::string_view to_string(status s);
std::optional<status> status_from(std::string_view text);

/// One timed batch: `v` in the cell's unit.
struct sample {
  double v = 0;
  unsigned trial = 0;
  unsigned round = 0;
  unsigned order = 0;  // position of the trial in its round
  bool warmup = false;
};

struct summary {
  unsigned trials = 0;
  std::uint64_t n = 0;  // batches
  std::optional<double> median = {}, low = {}, high = {}, min = {}, mad = {};
};

struct cell_result {
  std::string workload;
  values params;
  std::string runtime, variant, arm;
  unsigned threads = 1;
  status state = status::ok;
  std::string reason;  // why not ok, or a note
  std::string unit = "ns/op", better = "lower";
  std::vector<sample> samples;
  std::vector<json> trials;  // one record per trial: cpu, memory, seats, steadiness, noise
  json latency, rate;        // null where the workload has none
  json pin;

  /// `tree size=1K .../heartbeat/native arm threads=2 pin=core`: what makes two cells the same cell.
  std::string key() const;
  /// `heartbeat`, `tbb/cutoff=1000`, with `(generic)` where the runtime has a body of its own too.
  std::string runtime_label() const;
  bool measured() const { return state == status::ok && !samples.empty(); }
};

struct run_result {
  json tool, machine, settings, tags = json::object(), warnings = json::array(),
                                argv = json::array();
  json ceilings = json::array();  // read bandwidth: [{threads, pus, gb_per_s, round}]
  std::string started, finished;
  bool partial = true;
  std::uint64_t seed = 0;
  std::vector<cell_result> cells;
};

/// Over the timed batches: the median of trial medians, its order-statistic interval (none below 6 trials).
summary summarise(const cell_result& cell);

/// The median over the trials of one number of each trial's record, by JSON pointer ("/cpu/migrations"); nullopt where
/// no trial has it.
std::optional<double> trial_median(const cell_result& cell, const std::string& pointer);

/// `flat`, `warming`, `no steady state`; "" where no trial had enough samples to tell.
std::string steadiness_of(const cell_result& cell);

json to_json(const run_result& r);
json to_json(const cell_result& c);
json head_of(const run_result& r);  // all but the cells

/// Throws input_error for text that is not a bb/1 result, naming `name` and what is wrong.
run_result run_result_from_json(const json& j, std::string_view name);
run_result read_result(const std::string& path);

/// The JSON text of a result (result_text.hpp).
std::string to_text(const run_result& r);

}  // namespace bb
