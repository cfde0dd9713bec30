#pragma once
// The table: all workloads, all rows, in a fixed order. Explicit, made by the build from runtimes/CMakeLists.txt; no
// static initialisers, so nothing for a linker to drop.

#include <string>
#include <string_view>
#include <vector>

#include "harness/cell_body.hpp"

namespace bb {

class registry {
 public:
  registry(std::vector<workload_info> workloads, std::vector<row> rows);

  const std::vector<workload_info>& workloads() const { return workloads_; }
  const std::vector<row>& rows() const { return rows_; }

  /// nullptr if there is none of that name.
  const workload_info* find_workload(std::string_view id) const;
  const row* find_row(std::string_view id) const;

  /// The same, but an unknown name is a usage_error that suggests the nearest known one.
  const workload_info& workload(std::string_view id) const;
  const row& runtime(std::string_view id) const;

 private:
  std::vector<workload_info> workloads_;
  std::vector<row> rows_;
};

/// The body of one (workload, runtime, variant), or nullptr.
const body_info* find_body(const row& r, std::string_view workload, std::string_view variant);

/// Why `r` has no body for `w`, as a sentence without a full stop.
std::string absent_reason(const row& r, const workload_info& w);

/// A runtime as written on the command line: `id`, `id/key=value+key=value`, `id/*` for all arms.
struct runtime_arm {
  const row* runtime;
  arm_values arm;
};
std::vector<runtime_arm> parse_runtimes(const registry& table, std::string_view list);

/// The table of this program.
registry make_registry();

}  // namespace bb
