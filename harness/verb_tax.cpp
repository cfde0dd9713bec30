#include <fmt/format.h>

#include <iostream>
#include <map>

#include "harness/bootstrap.hpp"
#include "harness/cli.hpp"
#include "harness/error.hpp"
#include "harness/session.hpp"
#include "harness/units.hpp"
#include "harness/verbs.hpp"

namespace bb {
namespace {

struct pair {
  const cell_result* native = nullptr;
  const cell_result* generic = nullptr;
};

std::map<std::string, pair> pairs_of(const run_result& r) {
  std::map<std::string, pair> pairs;
  for (const auto& c : r.cells) {
    if (!c.measured()) continue;
    const std::string key = fmt::format("{} {}  {} at {} threads", c.workload, c.params.label(),
                                        c.runtime_label(), c.threads);
    (c.variant == "native" ? pairs[key].native : pairs[key].generic) = &c;
  }
  std::erase_if(pairs, [](const auto& p) {
    return p.second.native == nullptr || p.second.generic == nullptr;
  });
  return pairs;
}

trial_samples by_round(const cell_result& c) {
  std::map<unsigned, std::vector<double>> rounds;
  for (const auto& s : c.samples)
    if (!s.warmup) rounds[s.round].push_back(s.v);
  trial_samples out;
  for (auto& [round, vs] : rounds) out.push_back(std::move(vs));
  return out;
}

void print(std::ostream& out, const std::map<std::string, pair>& pairs, std::uint64_t seed) {
  for (const auto& [key, p] : pairs) {
    const auto ratio =
        ratio_of_medians(by_round(*p.native), by_round(*p.generic), {.paired = true, .seed = seed});
    if (!ratio) continue;
    const std::string interval =
        ratio->ci95 ? fmt::format(" ({} .. {})", format_significant(ratio->ci95->lo),
                                  format_significant(ratio->ci95->hi))
                    : " (too few trials for an interval)";
    out << fmt::format("{:<72} generic / native = {}{}\n", key, format_significant(ratio->ratio),
                       interval);
  }
}

bool prints_results(const run_options& o) {
  return o.json_path == "-" || o.csv_path == "-" || o.markdown_path == "-";
}

bool has_both(const row& r, const workload_info& w) {
  return find_body(r, w.id, "native") != nullptr && find_body(r, w.id, "generic") != nullptr;
}

// Cells without a partner would only cost time.
void leave_out_singles(const registry& table, selection& what) {
  bool any = false;
  for (const auto& chosen : parse_runtimes(table, what.runtimes))
    for (const auto& w : table.workloads()) any = any || has_both(*chosen.runtime, w);
  if (!any)
    throw usage_error(
        "no runtime chosen has both a generic and a native body; `bb list` shows which do");
  for (const auto& r : table.rows())
    for (const auto& w : table.workloads())
      if (!has_both(r, w)) what.filters.push_back(fmt::format("-^{} .* {}/", w.id, r.id));
}

}  // namespace

int verb_tax(const registry& table, const arguments& args) {
  auto options = parse_run(table, args);
  if (!options) return 0;
  options->what.variant = "all";
  options->quiet = true;
  leave_out_singles(table, options->what);
  run_result result;
  const int code = run_session(table, *options, nullptr, &result);
  if (options->dry_run) return code;
  const auto pairs = pairs_of(result);
  if (pairs.empty())
    throw usage_error(
        "no runtime chosen has both a generic and a native body; `bb list` shows which do");
  print(prints_results(*options) ? std::cerr : std::cout, pairs, options->how.seed);
  return code;
}

}  // namespace bb
