#pragma once
// A result as JSON text: pretty for people to the depth where they look, one line per sample list.

#include <string>
#include <vector>

#include "harness/result.hpp"

namespace bb {

/// Keeps the text of every cell, so that a result which is written after each trial costs one cell's text, not all.
class result_text {
 public:
  void update(std::size_t index, const cell_result& cell);

  /// The whole file: everything of `head` but its cells, then the cells kept here.
  std::string with(const run_result& head) const;

 private:
  std::vector<std::string> cells_;
};

}  // namespace bb
