#include "harness/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/series.hpp"
#include "harness/units.hpp"

namespace bb {
namespace {

constexpr std::array<std::string_view, 9> headings{"runtime",      "threads",   "ns/op",
                                                   "95% interval", "cpu-ns/op", "GB/s",
                                                   "speed-up",     "steady",    "trials"};
using fields = std::array<std::string, headings.size()>;

std::string or_dash(const std::optional<double>& v, int digits = 3) {
  return v ? format_significant(*v, digits) : "-";
}

std::string interval_text(const summary& s, const cell_result& c) {
  if (s.low && s.high)
    return fmt::format("{} .. {}", format_significant(*s.low), format_significant(*s.high));
  if (!s.median) return "-";
  double lo = *s.median, hi = *s.median;
  for (const auto& x : c.samples)
    if (!x.warmup) lo = std::min(lo, x.v), hi = std::max(hi, x.v);
  // Too few trials for an interval: the range of the samples, marked as such.
  return fmt::format("[{} .. {}]", format_significant(lo), format_significant(hi));
}

std::string steady_text(const cell_result& c) {
  const std::string text = steadiness_of(c);
  return text.empty() ? "-" : text;
}

std::string name_of(const table_line& line) {
  const cell_result& c = *line.cell;
  return c.variant == "generic" ? c.runtime_label()
                                : fmt::format("{} ({})", c.runtime_label(), c.variant);
}

fields fields_of(const table_line& line) {
  const cell_result& c = *line.cell;
  const bool oversubscribed = c.pin.is_object() && c.pin.value("oversubscribed", false);
  fields f;
  f[0] = name_of(line);
  f[1] = fmt::format("{}{}", c.threads, oversubscribed ? "*" : "");
  if (!c.measured()) {
    f[2] = to_string(c.state);
    for (std::size_t i = 3; i < f.size(); ++i) f[i] = "-";
    return f;
  }
  f[2] = or_dash(line.numbers.median);
  f[3] = interval_text(line.numbers, c);
  f[4] = or_dash(line.cpu_ns);
  f[5] = line.gb_per_s && line.ceiling ? fmt::format("{} of {}", format_significant(*line.gb_per_s),
                                                     format_significant(*line.ceiling))
                                       : "-";
  f[6] = line.speedup ? fmt::format("{}x", format_significant(*line.speedup)) : "-";
  f[7] = steady_text(c);
  f[8] = std::to_string(line.numbers.trials);
  return f;
}

fields heading_fields() {
  fields f;
  std::copy(headings.begin(), headings.end(), f.begin());
  return f;
}

bool left_aligned(std::size_t column) { return column == 0 || column == 7; }

std::string lay_out(const std::vector<fields>& rows, bool colour) {
  std::array<std::size_t, headings.size()> width{};
  std::array<bool, headings.size()> used{};
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < width.size(); ++i) {
      width[i] = std::max(width[i], rows[r][i].size());
      used[i] = used[i] || (r > 0 && rows[r][i] != "-");
    }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < width.size(); ++i) {
      if (!used[i]) continue;
      line += left_aligned(i) ? fmt::format("  {:<{}}", rows[r][i], width[i])
                              : fmt::format("  {:>{}}", rows[r][i], width[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += r == 0 && colour ? fmt::format("\x1b[2m{}\x1b[0m\n", line) : line + "\n";
  }
  return out;
}

std::vector<std::string> footnotes(const table_group& g) {
  std::vector<std::string> notes;
  for (const auto& line : g.lines)
    if (!line.cell->reason.empty())
      notes.push_back(fmt::format("{} at {} threads: {}", name_of(line), line.cell->threads,
                                  line.cell->reason));
  notes.insert(notes.end(), g.notes.begin(), g.notes.end());
  const bool wrapped = std::any_of(g.lines.begin(), g.lines.end(), [](const auto& l) {
    return l.cell->pin.is_object() && l.cell->pin.value("oversubscribed", false);
  });
  if (wrapped) notes.push_back("a star marks more threads than PUs (oversubscribed)");
  return notes;
}

}  // namespace

std::string to_table(const run_result& r, bool colour) {
  std::string out;
  for (const auto& g : make_groups(r)) {
    out += colour ? fmt::format("\x1b[1m{}\x1b[0m\n", g.title) : g.title + "\n";
    std::vector<fields> rows{heading_fields()};
    for (const auto& line : g.lines) rows.push_back(fields_of(line));
    if (rows.size() > 1) out += lay_out(rows, colour);
    for (const auto& note : footnotes(g)) out += fmt::format("  - {}\n", note);
    out += "\n";
  }
  const std::string series = series_table(r);
  return series.empty() ? out : out + series + "\n";
}

std::string to_markdown(const run_result& r) {
  const auto cell_text = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at, "\\");
    return text;
  };
  std::string out;
  for (const auto& g : make_groups(r)) {
    out += fmt::format("### {}\n\n", g.title);
    std::vector<fields> rows{heading_fields()};
    for (const auto& line : g.lines) rows.push_back(fields_of(line));
    for (std::size_t i = 0; i < rows.size() && rows.size() > 1; ++i) {
      for (const auto& f : rows[i]) out += "| " + cell_text(f) + " ";
      out += "|\n";
      if (i == 0) out += "| :-- | --: | --: | --: | --: | --: | --: | :-- | --: |\n";
    }
    out += "\n";
    for (const auto& note : footnotes(g)) out += fmt::format("- {}\n", note);
    out += "\n";
  }
  const std::string series = series_table(r);
  return series.empty() ? out : fmt::format("{}```\n{}```\n", out, series);
}

}  // namespace bb
