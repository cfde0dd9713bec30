#include "harness/result_text.hpp"

#include <algorithm>

#include "harness/series.hpp"

namespace bb {
namespace {

// Names come from outside (tags, files of others): what is not UTF-8 is replaced, never thrown about.
std::string dump(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

// Pretty to the depth where a person looks, then one line per value: a sample list stays scannable and small.
void print(const json& j, int depth, std::string& out) {
  const auto flat = [](const json& v) { return !v.is_structured() || v.empty(); };
  const bool one_line = flat(j) || depth > 4 || std::all_of(j.begin(), j.end(), flat);
  if (one_line) {
    out += dump(j);
    return;
  }
  out += j.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [name, item] : j.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(static_cast<std::size_t>(depth + 1), ' ');
    if (j.is_object()) out += dump(name) + ": ";
    print(item, depth + 1, out);
  }
  out += '\n';
  out.append(static_cast<std::size_t>(depth), ' ');
  out += j.is_object() ? '}' : ']';
}

}  // namespace

void result_text::update(std::size_t index, const cell_result& cell) {
  if (cells_.size() <= index) cells_.resize(index + 1);
  cells_[index].clear();
  print(to_json(cell), 2, cells_[index]);
}

std::string result_text::with(const run_result& head) const {
  std::string out;
  print(head_of(head), 0, out);
  out.resize(out.size() - 2);  // without the closing "\n}"
  out += ",\n \"cells\": [";
  for (std::size_t i = 0; i < cells_.size(); ++i) out += (i == 0 ? "\n  " : ",\n  ") + cells_[i];
  out += cells_.empty() ? "]" : "\n ]";
  out += ",\n \"series\": ";
  print(series_json(head), 1, out);
  out += "\n}\n";
  return out;
}

std::string to_text(const run_result& r) {
  result_text text;
  for (std::size_t i = 0; i < r.cells.size(); ++i) text.update(i, r.cells[i]);
  return text.with(r);
}

}  // namespace bb
