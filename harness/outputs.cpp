#include "harness/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/error.hpp"
#include "harness/table.hpp"

namespace bb {

outputs::outputs(const run_options& o) {
  const auto add = [this](const std::string& path, format make) {
    if (!path.empty()) files_.emplace_back(output_file(path), make);
  };
  add(o.json_path, [](const run_result& r) { return to_text(r); });
  saves_json_ = !files_.empty() && files_.front().first.rewritable();
  add(o.csv_path, to_csv);
  add(o.markdown_path, to_markdown);
  refuse_same_place();
}

// Two formats in one file would be readable as neither.
void outputs::refuse_same_place() const {
  std::map<std::string, std::string> seen;
  for (const auto& [file, make] : files_)
    if (const auto [it, fresh] = seen.try_emplace(file.identity(), file.path()); !fresh)
      throw usage_error(
          fmt::format("'{}' and '{}' are one place, named for two outputs; give each its own",
                      it->second, file.path()));
}

bool outputs::use_stdout() const {
  return std::any_of(files_.begin(), files_.end(),
                     [](const auto& f) { return f.first.is_stdout(); });
}

void outputs::save(const std::string& text) {
  if (!saves_json_) return;
  try {
    files_.front().first.write(text);
  } catch (const output_error&) {
    saves_json_ = false;
  }
}

void outputs::finish(const run_result& r) const {
  std::string fault;
  for (const auto& [file, make] : files_) try {
      file.write(make(r));
    } catch (const output_error& e) {
      if (fault.empty()) fault = e.what();
    }
  if (!fault.empty()) throw output_error(fault);
}

}  // namespace bb
