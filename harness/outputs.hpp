#pragma once
// The destinations of one run, opened before it starts: JSON after every trial, tables at the end.

#include <string>
#include <utility>
#include <vector>

#include "harness/options.hpp"
#include "harness/output_file.hpp"

namespace bb {

class outputs {
 public:
  /// Throws output_error for what cannot be written, usage_error for two formats in one place.
  explicit outputs(const run_options& o);

  bool use_stdout() const;

  /// After a trial: the JSON file, where it can be written again and again. A failure is remembered, not thrown: the
  /// run goes on, and finish() tries once more.
  void save(const std::string& text);

  /// All destinations; the first failure is thrown only after every one was tried.
  void finish(const run_result& r) const;

 private:
  void refuse_same_place() const;

  using format = std::string (*)(const run_result&);
  std::vector<std::pair<output_file, format>> files_;
  bool saves_json_ = false;
};

}  // namespace bb
