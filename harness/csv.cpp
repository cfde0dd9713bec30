#include <fmt/format.h>

#include "harness/table.hpp"
#include "harness/text.hpp"

namespace bb {
namespace {

// RFC 4180: quotes where a field holds a comma, a quote or a line end; quotes doubled.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// {} of fmt: the shortest text that reads back as the same double, in any locale.
std::string number(const std::optional<double>& v) { return v ? fmt::format("{}", *v) : ""; }

std::string csv_line(const std::vector<std::string>& row) {
  std::vector<std::string> out;
  for (const auto& f : row) out.push_back(quoted(f));
  return join(out, ",") + "\r\n";
}

}  // namespace

std::string to_csv(const run_result& r) {
  std::string out = csv_line(
      {"workload", "params", "runtime", "arm",           "variant",  "threads",   "pin",
       "status",   "reason", "unit",    "median",        "ci95_low", "ci95_high", "min",
       "mad",      "trials", "samples", "cpu_ns_per_op", "gb_per_s", "speedup",   "steadiness"});
  std::vector<table_group> groups = make_groups(r);
  std::vector<const table_line*> lines(r.cells.size());
  for (const auto& g : groups)
    for (const auto& l : g.lines) lines[static_cast<std::size_t>(l.cell - r.cells.data())] = &l;
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    const cell_result& c = r.cells[i];
    const table_line empty{.cell = &c};
    const table_line& l = lines[i] != nullptr ? *lines[i] : empty;
    const summary& s = l.numbers;
    out += csv_line({c.workload,
                     c.params.label(),
                     c.runtime,
                     c.arm,
                     c.variant,
                     std::to_string(c.threads),
                     c.pin.is_object() ? c.pin.value("policy", "") : "",
                     std::string(to_string(c.state)),
                     c.reason,
                     c.unit,
                     number(s.median),
                     number(s.low),
                     number(s.high),
                     number(s.min),
                     number(s.mad),
                     std::to_string(s.trials),
                     std::to_string(s.n),
                     number(l.cpu_ns),
                     number(l.gb_per_s),
                     number(l.speedup),
                     steadiness_of(c)});
  }
  return out;
}

}  // namespace bb
