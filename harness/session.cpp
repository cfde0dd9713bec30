#include "harness/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>

#include "harness/error.hpp"
#include "harness/ground.hpp"
#include "harness/output_file.hpp"
#include "harness/outputs.hpp"
#include "harness/process.hpp"
#include "harness/progress.hpp"
#include "harness/result_text.hpp"
#include "harness/resume.hpp"
#include "harness/runner.hpp"
#include "harness/table.hpp"
#include "harness/text.hpp"
#include "harness/tool_record.hpp"
#include "harness/units.hpp"
#include "harness/warnings.hpp"

namespace bb {
namespace {

std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

json tags_of(const std::vector<std::string>& tags) {
  json j = json::object();
  for (const auto& t : tags) j[t.substr(0, t.find('='))] = t.substr(t.find('=') + 1);
  return j;
}

void refuse_absent(const std::vector<planned_cell>& cells) {
  std::map<std::string, std::string> reasons;
  for (const auto& c : cells)
    if (c.result.state == status::absent) reasons.emplace(c.result.runtime, c.result.reason);
  if (reasons.empty()) return;
  std::vector<std::string> lines;
  for (const auto& [id, reason] : reasons) lines.push_back(fmt::format("{} ({})", id, reason));
  throw error(1, "--require: absent: " + join(lines, "; "));
}

class session {
 public:
  session(const registry& table, const run_options& o, const run_result* done)
      : options_(o), ground_(find_ground(o.topology)) {
    // As numbers, so that a resumed run means the same by "max", or by nothing said.
    options_.what.threads = resolve_threads(o.what.threads, ground_);
    cells_ = make_plan(table, options_.what, ground_);
    if (o.require) refuse_absent(cells_);
    result_.tool = tool_record(table);
    result_.started = utc_now();
    result_.seed = o.how.seed;
    result_.tags = tags_of(o.tags);
    result_.argv = o.argv;
    result_.settings = to_json(options_);
    if (!o.dry_run) result_.machine = machine_of(ground_);
    if (done != nullptr) go_on_from(*done, result_, cells_);
  }

  int run() {
    if (options_.dry_run) {
      std::cout << describe_plan(cells_, options_.how, ground_.machine);
      return 0;
    }
    outputs out(options_);
    interrupt_watch interrupt;
    const std::string setup_fault = hook("--setup", options_.setup, interrupt);
    const bool complete = setup_fault.empty() && !interrupt.raised() && measure(out, interrupt);
    const bool interrupted = interrupt.raised();
    const std::string cleanup_fault = hook("--cleanup", options_.cleanup, interrupt);
    const int code = finish(out, complete, interrupted);
    for (const auto& fault : {setup_fault, cleanup_fault})
      if (!fault.empty() && !interrupted) throw error(std::max(code, 1), fault);
    return code;
  }

  const run_result& result() const { return result_; }

 private:
  bool measure(outputs& out, interrupt_watch& interrupt) {
    progress screen(options_.quiet, stderr_is_terminal());
    runner* active = nullptr;
    runner_events events;
    events.before_part = [&](const planned_cell& c, unsigned round) {
      screen.show(
          fmt::format("round {}: input of {} {}", round + 1, c.result.workload, c.input.label()));
    };
    events.after_trial = [&](std::size_t i) {
      text_.update(i, cells_[i].result);
      out.save(text_.with(result_));
      report(screen, *active, cells_[i].result);
    };
    events.after_round = [&] {
      if (active->trials_left() > 0)
        screen.log(fmt::format("about {} left", clock_text(active->seconds_left())));
    };
    for (std::size_t i = 0; i < cells_.size(); ++i) text_.update(i, cells_[i].result);
    runner r(cells_, result_.ceilings, options_.how, interrupt, events);
    active = &r;
    const bool complete = r.run();
    screen.clear();
    return complete;
  }

  void report(progress& screen, const runner& r, const cell_result& c) {
    const auto median = summarise(c).median;
    const std::string what = fmt::format(
        "{} {} {} {} threads: {}", c.workload, c.params.label(), c.runtime_label(), c.threads,
        median ? format_significant(*median) + " ns/op" : std::string(to_string(c.state)));
    screen.show(
        fmt::format("{} trials, {} left  {}", r.trials_left(), clock_text(r.seconds_left()), what));
    if (c.trials.size() <= 1) screen.log(what);
  }

  void collect() {
    result_.cells.clear();
    for (const auto& c : cells_) result_.cells.push_back(c.result);
  }

  // What went wrong, or "". An interruption is no fault of the command.
  static std::string hook(const char* option, const std::string& command,
                          interrupt_watch& interrupt) {
    if (command.empty()) return "";
    const int s = run_shell(command);
    return s == 0 || interrupt.raised()
               ? ""
               : fmt::format("{} '{}' {}", option, command, describe_exit(s));
  }

  int finish(const outputs& out, bool complete, bool interrupted) {
    collect();
    result_.finished = utc_now();
    result_.partial = !complete;
    result_.warnings = find_warnings(result_, options_.no_warn);
    show(out);
    try {
      out.finish(result_);
    } catch (const output_error& fault) {
      throw output_error(fault.what() + keep_elsewhere());
    }
    if (interrupted && !complete) {
      std::fprintf(stderr, "bb: interrupted; %s\n",
                   options_.json_path.empty()
                       ? "only the table above is left (--json FILE keeps the result)"
                       : "the result is partial; `bb resume FILE` goes on");
      return 130;
    }
    return exit_code_of(result_);
  }

  void show(const outputs& out) const {
    if (options_.quiet) return;
    const bool to_stderr = out.use_stdout();
    const std::string text =
        to_table(result_, wants_colour(to_stderr ? STDERR_FILENO : STDOUT_FILENO));
    (to_stderr ? std::cerr : std::cout) << text << std::flush;
    for (const auto& w : result_.warnings)
      std::fprintf(stderr, "bb: warning [%s]: %s\n", w.at("kind").get<std::string>().c_str(),
                   w.at("text").get<std::string>().c_str());
  }

  // The numbers took long: a full disk or a closed pipe must not cost them.
  std::string keep_elsewhere() const {
    const char* folder = std::getenv("TMPDIR");
    const std::string path =
        fmt::format("{}/bb-result-{}.json", folder != nullptr ? folder : "/tmp", getpid());
    try {
      output_file(path).write(to_text(result_));
      return fmt::format("; the result was kept in '{}'", path);
    } catch (const output_error&) {
      return "; nor could it be kept in the folder for temporary files";
    }
  }

  run_options options_;
  ground ground_;
  std::vector<planned_cell> cells_;
  run_result result_;
  result_text text_;  // as last written
};

}  // namespace

int run_session(const registry& table, const run_options& options, const run_result* done,
                run_result* into) {
  session s(table, options, done);
  const int code = s.run();
  if (into != nullptr) *into = s.result();
  return code;
}

int exit_code_of(const run_result& r) {
  for (const auto& c : r.cells)
    if (c.state == status::failed || c.state == status::wrong || c.state == status::timeout)
      return 1;
  return 0;
}

}  // namespace bb
