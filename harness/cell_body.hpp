#pragma once
// The type-erased side of a row: what the driver knows of a workload, of a runtime and of a runnable cell.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/config.hpp"
#include "harness/params.hpp"

namespace bb {

/// How operations enter the runtime: each run anew (pool.run, install, arena, parallel region), or once per sample.
enum class entry { each, once };

/// What a batch did: runs of the workload, and how many of them gave a wrong answer.
struct tally {
  std::uint64_t runs = 0;
  std::uint64_t wrong = 0;
};

/// A workload's input, built once per round and shared by the cells forked from it. Read-only for the bodies.
class erased_input {
 public:
  virtual ~erased_input() = default;
  /// The memory that operations read, for the read-bandwidth ceiling; empty where it says nothing.
  virtual std::span<const std::byte> memory() const = 0;
};

/// A runtime and a workload, ready to run. Built and used by the trial's main thread alone.
class cell_body {
 public:
  virtual ~cell_body() = default;
  virtual tally batch(std::uint64_t runs, entry how) = 0;
  /// What the runtime found out about itself only when it was loaded, for the trial's record; "" = nothing.
  virtual std::string loaded() const { return {}; }
};

struct body_info {
  std::string_view workload;
  std::string_view variant;  // generic | native
  std::unique_ptr<cell_body> (*make)(const erased_input&, const config&);
};

/// One option that a runtime's arms may set.
struct arm_spec {
  std::string_view key;
  std::string_view help;
  std::string_view values;  // allowed words, comma-separated; "N" = a number
  std::string_view sweep;   // the values that `id/*` runs beside the default, comma-separated
  std::uint64_t least = 0, most = 1'000'000'000'000;  // of a number
};

/// One runtime over all workloads.
struct row {
  std::string id;
  std::string summary;
  bool ours = false;
  std::string (*version)() = nullptr;
  bool single_thread = false;
  bool may_not_finish =
      false;  // hopeless at fine grain by design: a timeout is no fault of the run
  std::vector<arm_spec> arms = {};
  std::string (*lacks)() =
      nullptr;  // why cells without a body are absent, if more is to be said than "has no X"
  std::string (*lacks_arm)(const arm_values&) =
      nullptr;  // why this build has not that arm; "" = it has
  std::vector<body_info> bodies = {};
  std::string absent = {};  // not empty: the runtime was not built, and why
};

/// A workload whose figure is the slope of a line over the values of one parameter, not the time at any one of them
/// (harness/series.hpp).
struct series_spec {
  std::string_view parameter;
  std::string_view slope;      // unit of the slope: "ns/fork"
  std::string_view intercept;  // unit of the intercept: "ns/run"
  bool per_run = false;        // the line is through the time of a run (else of an operation)
};

struct workload_info {
  std::string_view id, summary, operation, needs;
  std::span<const param_spec> parameters;
  double (*operations)(const values&);
  double (*bytes_per_operation)(const values&);
  double (*memory_bytes)(const values&);
  bool (*large)(const values&);
  std::unique_ptr<erased_input> (*make_input)(const values&);
  const series_spec* series = nullptr;
};

}  // namespace bb
