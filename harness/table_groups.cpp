#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/stats.hpp"
#include "harness/table.hpp"

namespace bb {
namespace {

std::string group_title(const cell_result& c) {
  return fmt::format("{}  {}", c.workload, c.params.label());
}

std::optional<double> ceiling_of(const run_result& r, const cell_result& c) {
  std::vector<double> found;
  for (const auto& entry : r.ceilings) {
    if (entry.value("workload", "") != c.workload || !c.pin.is_object()) continue;
    const values input = values_from_json(entry.at("input"));
    const bool same = std::all_of(input.all().begin(), input.all().end(), [&](const auto& item) {
      const value* v = c.params.find(item.first);
      return v != nullptr && *v == item.second;
    });
    const auto planned = c.pin.value("planned", std::vector<unsigned>{});
    const std::set<unsigned> used(planned.begin(), planned.end());
    const auto pus = entry.at("pus").get<std::set<unsigned>>();
    if (same && used == pus) found.push_back(entry.at("gb_per_s").get<double>());
  }
  return median(found);
}

// The bytes an operation reads, as the trial recorded it; so that a stored result needs no registry.
std::optional<double> gb_per_s(const cell_result& c, const summary& s) {
  const auto bytes = trial_median(c, "/bytes_per_op");
  if (!bytes || *bytes <= 0 || !s.median || *s.median <= 0) return std::nullopt;
  return *bytes / *s.median;
}

table_line line_of(const run_result& r, const cell_result& c) {
  table_line line{.cell = &c, .numbers = summarise(c)};
  line.cpu_ns = trial_median(c, "/cpu_ns_per_op");
  line.ceiling = ceiling_of(r, c);
  // Without a ceiling the input fits into caches, and a bandwidth would say nothing of memory.
  if (line.ceiling) line.gb_per_s = gb_per_s(c, line.numbers);
  return line;
}

void add_speedups(table_group& g) {
  for (const auto& base : g.lines) {
    if (base.cell->runtime != "serial" || !base.cell->arm.empty() || !base.numbers.median) continue;
    for (auto& line : g.lines)
      if (line.numbers.median && *line.numbers.median > 0)
        line.speedup = *base.numbers.median / *line.numbers.median;
    return;
  }
}

// By hand, since libstdc++ 12's stable algorithms use what C++20 deprecates.
void put_serial_first(std::vector<table_line>& lines) {
  auto next = lines.begin();
  for (auto it = lines.begin(); it != lines.end(); ++it)
    if (it->cell->runtime == "serial") std::rotate(next++, it, it + 1);
}

void fold_notes(table_group& g, const std::vector<const cell_result*>& silent) {
  std::map<std::string, std::pair<std::string, std::set<std::string>>> by_reason;
  std::vector<std::string> order;
  for (const auto* c : silent) {
    const std::string key = fmt::format("{}\n{}", to_string(c->state), c->reason);
    auto& [state, names] = by_reason[key];
    if (names.empty()) order.push_back(key);
    state = to_string(c->state);
    names.insert(c->state == status::skipped
                     ? fmt::format("{} at {} threads", c->runtime_label(), c->threads)
                     : c->runtime_label());
  }
  for (const auto& key : order) {
    const auto& [state, names] = by_reason[key];
    std::string list;
    for (const auto& n : names) list += (list.empty() ? "" : ", ") + n;
    g.notes.push_back(fmt::format("{}: {} ({})", state, list, key.substr(key.find('\n') + 1)));
  }
}

}  // namespace

std::vector<table_group> make_groups(const run_result& r) {
  std::vector<std::string> titles;
  std::map<std::string, std::vector<const cell_result*>> members;
  for (const auto& c : r.cells) {
    const std::string title = group_title(c);
    if (members[title].empty()) titles.push_back(title);
    members[title].push_back(&c);
  }
  std::vector<table_group> groups;
  for (const auto& title : titles) {
    table_group g{.title = title};
    std::vector<const cell_result*> silent;
    for (const auto* c : members[title])
      if (c->state == status::absent || c->state == status::skipped)
        silent.push_back(c);
      else
        g.lines.push_back(line_of(r, *c));
    put_serial_first(g.lines);
    add_speedups(g);
    fold_notes(g, silent);
    groups.push_back(std::move(g));
  }
  return groups;
}

}  // namespace bb
