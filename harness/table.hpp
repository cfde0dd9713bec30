#pragma once
// A result as people read it: the aligned table of the terminal, and the same as Markdown or CSV.

#include <string>
#include <vector>

#include "harness/result.hpp"

namespace bb {

/// One line of a table: a cell and what is derived from it and from its serial baseline.
struct table_line {
  const cell_result* cell = nullptr;
  summary numbers = {};
  std::optional<double> cpu_ns = {};    // per operation, all threads
  std::optional<double> gb_per_s = {};  // where operations read memory
  std::optional<double> ceiling =
      {};  // GB/s that plain reading reached on the same PUs in the same run
  std::optional<double> speedup = {};  // serial median / this median, same workload and parameters
};

/// Cells that share a workload and parameters; serial first.
struct table_group {
  std::string title;
  std::vector<table_line> lines = {};  // measured, or failed
  std::vector<std::string> notes =
      {};  // absent and skipped cells, equal reasons folded into one note
};

std::vector<table_group> make_groups(const run_result& r);

std::string to_table(const run_result& r, bool colour);
std::string to_markdown(const run_result& r);
/// RFC 4180, one header line, one line per cell; empty fields for what was not measured.
std::string to_csv(const run_result& r);

}  // namespace bb
