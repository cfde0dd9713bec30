#include "harness/cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "harness/cli_app.hpp"
#include "harness/error.hpp"
#include "harness/text.hpp"
#include "harness/units.hpp"
#include "harness/warnings.hpp"

namespace bb {
namespace {

/// Options as text, before they mean anything.
struct raw_options {
  std::string time, warmup, cooldown, timeout, budget, precision, seed;
  std::int64_t samples = 0, trials = 0, max_trials = 0;
};

void add_selection(CLI::App& app, run_options& o) {
  auto* g = app.add_option_group("Cells");
  const auto add = [&](const char* name, auto& into, const char* help) {
    return g->add_option(name, into, help);
  };
  add("--workload", o.what.workloads,
      "workloads to run: ids, comma-separated, or all (see bb list)");
  add("--runtime", o.what.runtimes,
      "runtimes: id, id/key=value+key=value for an arm, id/* for all arms; comma-separated, or "
      "all");
  add("--variant", o.what.variant, "best (native where there is one), native, generic or all");
  add("--threads", o.what.threads,
      "worker counts: 1..32 doubles, 1-8 each, 1..9:2 steps, 1,2,6, max, cores, pus");
  add("--pin", o.what.pins,
      "where workers sit: core, compact, spread, numa, l3, pcore, ecore, none, list:0-3,8");
  add("--membind", o.how.membind, "where memory comes from: none, local, interleave, node:N");
  add("--topology", o.topology,
      "plan for the machine of this hwloc XML file or description; with --dry-run");
  add("--filter", o.what.filters,
      "regular expression that a cell's name must match; a leading - negates; may repeat")
      ->allow_extra_args(false);
  g->add_flag("--full", o.what.full,
              "large inputs at every thread count, not at 1 and the most alone");
  g->add_flag("--smoke", o.what.smoke,
              "smoke sizes and one short trial: checks answers, measures nothing");
  g->add_flag("--require", o.require, "an absent cell is an error");
}

void add_measuring(CLI::App& app, run_options& o, raw_options& raw) {
  auto* g = app.add_option_group("Measuring");
  const auto add = [&](const char* name, auto& into, const char* help) {
    return g->add_option(name, into, help);
  };
  add("--time", raw.time, "timed part of each trial [300ms]; lifts the budget");
  add("--samples", raw.samples, "samples of each trial instead of a time; lifts the budget");
  add("--trials", raw.trials,
      "trials of each cell, each a process of its own [7]; lifts the budget");
  add("--budget", raw.budget, "wall time for all trials of a cell [10s]; 0 = no bound");
  add("--precision", raw.precision,
      "go on until the 95% interval is within this of the median, as in 1%");
  add("--max-trials", raw.max_trials, "most trials of a cell with --precision [30]");
  add("--warmup", raw.warmup, "warm-up of each trial [100ms]");
  add("--cooldown", raw.cooldown, "pause before each trial [0]");
  add("--timeout", raw.timeout, "a trial that takes longer is killed [120s]");
  add("--seed", raw.seed, "seed of the order of the trials [random]");
  add("--thp", o.how.thp, "huge pages of inputs: system, off, on");
  add("--setup", o.setup, "shell command before the first trial");
  add("--cleanup", o.cleanup, "shell command after the last trial, also after Ctrl-C");
  g->add_flag("--dry-run", o.dry_run,
              "print the plan, the pin map and the time it takes; run nothing");
}

void add_output(CLI::App& app, run_options& o) {
  auto* g = app.add_option_group("Output");
  const auto add = [&](const char* name, auto& into, const char* help) {
    return g->add_option(name, into, help);
  };
  add("--json", o.json_path, "write the result to this file after every trial; - is stdout");
  add("--csv", o.csv_path, "write a CSV table to this file; - is stdout");
  add("--markdown", o.markdown_path, "write a Markdown table to this file; - is stdout");
  add("--tag", o.tags, "key=value kept in the result; may repeat")->allow_extra_args(false);
  g->add_flag("--quiet", o.quiet, "no table, no progress");
  add("--no-warn", o.no_warn, "do not warn of this kind (the word in brackets); may repeat")
      ->allow_extra_args(false);
}

void add_parameters(CLI::App& app, const registry& table,
                    std::map<std::string, std::string>& params) {
  auto* g = app.add_option_group("Parameters of workloads");
  std::set<std::string_view> done;
  for (const auto& w : table.workloads())
    for (const auto& p : w.parameters) {
      if (!done.insert(p.name).second) continue;
      const std::string allowed = p.choices.empty() ? "list" : std::string(p.choices);
      g->add_option_function<std::string>(
          "--" + std::string(p.name),
          [&params, name = std::string(p.name)](const std::string& v) { params[name] = v; },
          fmt::format("{}: {} ({}) [{}]", w.id, p.help, allowed, p.full));
    }
}

unsigned whole(std::int64_t n, const char* option, std::int64_t least, std::int64_t most) {
  if (n < least || n > most)
    throw usage_error(fmt::format("{}: {} is out of range; use {} to {}", option, n, least, most));
  return static_cast<unsigned>(n);
}

bool given(const CLI::App& app, const char* name) { return app.get_option(name)->count() > 0; }

std::uint64_t parse_seed(const std::string& text) {
  if (text.empty()) return std::random_device{}() & 0x7fffffff;
  return parse_size(text, "--seed");
}

void interpret(const CLI::App& app, const raw_options& raw, run_options& o) {
  measuring& how = o.how;
  const bool lifts = given(app, "--time") || given(app, "--samples") || given(app, "--trials");
  if (given(app, "--time")) how.time_ns = parse_duration_ns(raw.time, "--time");
  if (given(app, "--warmup")) how.warmup_ns = parse_duration_ns(raw.warmup, "--warmup");
  if (given(app, "--cooldown")) how.cooldown_ns = parse_duration_ns(raw.cooldown, "--cooldown");
  if (given(app, "--timeout")) how.timeout_ns = parse_duration_ns(raw.timeout, "--timeout");
  if (given(app, "--samples")) how.samples = whole(raw.samples, "--samples", 1, 100'000);
  if (given(app, "--trials")) how.trials = whole(raw.trials, "--trials", 1, 10'000);
  if (given(app, "--max-trials")) how.max_trials = whole(raw.max_trials, "--max-trials", 1, 10'000);
  if (given(app, "--precision")) how.precision = parse_percent(raw.precision, "--precision");
  if (lifts) how.budget_ns = 0;
  if (given(app, "--budget")) how.budget_ns = parse_duration_ns(raw.budget, "--budget");

  how.seed = parse_seed(raw.seed);
  validate(how);
  if (!o.what.smoke) return;
  if (!given(app, "--trials")) how.trials = 1;
  if (!given(app, "--samples")) how.samples = 3;
  if (!given(app, "--warmup")) how.warmup_ns = 0;
  if (!given(app, "--time")) how.time_ns = 3'000'000;
}

// An empty list would silently mean the default.
void refuse_empty(const CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto* option = app.get_option(name);
        option->count() > 0 && option->as<std::string>().empty())
      throw usage_error(
          fmt::format("{} is empty; leave it out, or see `bb run --help` for what it takes", name));
}

void check_tags(const std::vector<std::string>& tags) {
  std::set<std::string> seen;
  for (const auto& tag : tags) {
    const auto equals = tag.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw usage_error(fmt::format("--tag: '{}' is not key=value", tag));
    if (!seen.insert(tag.substr(0, equals)).second)
      throw usage_error(
          fmt::format("--tag: '{}' is given twice; give each key once", tag.substr(0, equals)));
  }
}

void check_kinds(const std::vector<std::string>& kinds) {
  if (kinds.empty()) return;
  const auto known = warning_kinds();
  for (const auto& kind : kinds)
    if (std::find(known.begin(), known.end(), kind) == known.end())
      throw usage_error("--no-warn: " + unknown_word("kind", kind, known));
}

void check_topology(const run_options& o) {
  if (!o.topology.empty() && !o.dry_run)
    throw usage_error("--topology plans for another machine, where nothing can run; add --dry-run");
}

// Results hold no path of the machine that made them, and hooks are full of them.
std::vector<std::string> without_folders(const std::vector<std::string>& arguments) {
  const std::set<std::string> files{"--json", "--csv", "--markdown", "--config", "--topology"};
  const std::set<std::string> hooks{"--setup", "--cleanup"};
  std::vector<std::string> out;
  std::string option;  // whose value comes next
  for (const auto& a : arguments) {
    const auto equals = a.find('=');
    const bool joined = option.empty() && equals != std::string::npos;
    const std::string name = joined ? a.substr(0, equals) : option, head = joined ? name + "=" : "";
    const std::string text = joined ? a.substr(equals + 1) : a;
    if (hooks.contains(name))
      out.push_back(head + "...");
    else if (files.contains(name) || text.starts_with("/"))
      out.push_back(head + text.substr(text.rfind('/') + 1));
    else
      out.push_back(a);
    option = !joined && option.empty() && (files.contains(a) || hooks.contains(a)) ? a : "";
  }
  return out;
}

}  // namespace

std::optional<run_options> parse_run(const registry& table,
                                     const std::vector<std::string>& arguments) {
  CLI::App app("Measure: runs the chosen cells, checked, pinned and each in a process of its own.",
               "run");
  const char* file = std::getenv("BB_CONFIG");
  app.set_config("--config", file != nullptr ? file : "", "options from a TOML file",
                 file != nullptr);
  app.allow_config_extras(CLI::config_extras_mode::error);
  run_options o;
  raw_options raw;
  add_selection(app, o);
  add_measuring(app, o, raw);
  add_output(app, o);
  add_parameters(app, table, o.what.params);
  name_environment(app);
  if (!parse_arguments(app, arguments)) return std::nullopt;
  refuse_empty(app, {"--workload", "--runtime", "--variant", "--threads", "--pin", "--topology",
                     "--json", "--csv", "--markdown", "--setup", "--cleanup", "--seed"});
  interpret(app, raw, o);
  check_tags(o.tags);
  check_kinds(o.no_warn);
  check_topology(o);

  o.argv.emplace_back("run");
  for (auto& a : without_folders(arguments)) o.argv.push_back(std::move(a));
  return o;
}

}  // namespace bb
