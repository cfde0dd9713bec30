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
#include "harness/process.hpp"
#include "harness/progress.hpp"
#include "harness/result_text.hpp"
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

/// The destinations of one run, opened before it starts.
class outputs {
 public:
  explicit outputs(const run_options& o) {
    const auto add = [this](const std::string& path, std::string (*make)(const run_result&)) {
      if (!path.empty()) files_.emplace_back(output_file(path), make);
    };
    add(o.json_path, [](const run_result& r) { return to_text(r); });
    saves_json_ = !files_.empty();
    add(o.csv_path, to_csv);
    add(o.markdown_path, to_markdown);
  }

  bool use_stdout() const {
    return std::any_of(files_.begin(), files_.end(),
                       [](const auto& f) { return f.first.is_stdout(); });
  }
  /// After a trial: the JSON file, where it can be written again and again. Tables come at the end.
  void save(const std::string& text) const {
    if (!files_.empty() && saves_json_ && files_.front().first.rewritable())
      files_.front().first.write(text);
  }
  /// All destinations; the first failure is thrown only after every one was tried.
  void finish(const run_result& r) const {
    std::string fault;
    for (const auto& [file, make] : files_) try {
        file.write(make(r));
      } catch (const output_error& e) {
        if (fault.empty()) fault = e.what();
      }
    if (!fault.empty()) throw output_error(fault);
  }

 private:
  std::vector<std::pair<output_file, std::string (*)(const run_result&)>> files_;
  bool saves_json_ = false;
};

class session {
 public:
  session(const registry& table, const run_options& o, const run_result* done)
      : options_(o), ground_(find_ground(o.topology)), cells_(make_plan(table, o.what, ground_)) {
    if (o.require) refuse_absent(cells_);
    result_.tool = tool_record(table);
    result_.started = utc_now();
    result_.seed = o.how.seed;
    result_.tags = tags_of(o.tags);
    result_.argv = o.argv;
    result_.settings = to_json(o);
    if (done != nullptr) go_on_from(*done);
  }

  int run() {
    if (options_.dry_run) {
      std::cout << describe_plan(cells_, options_.how, ground_.machine);
      return 0;
    }
    const outputs out(options_);
    result_.machine = machine_of(ground_);
    interrupt_watch interrupt;
    if (!options_.setup.empty()) hook("--setup", options_.setup);
    const bool complete = measure(out, interrupt);
    if (!options_.cleanup.empty()) hook("--cleanup", options_.cleanup);
    return finish(out, complete);
  }

  const run_result& result() const { return result_; }

 private:
  void go_on_from(const run_result& done) {
    std::map<std::string, const cell_result*> earlier;
    for (const auto& c : done.cells) earlier.emplace(c.key(), &c);
    for (auto& cell : cells_)
      if (const auto it = earlier.find(cell.result.key());
          it != earlier.end() && cell.body != nullptr)
        cell.result = *it->second;
    result_.started = done.started;
    result_.ceilings = done.ceilings;
    result_.tags = done.tags;
    result_.argv = done.argv;
  }

  bool measure(const outputs& out, interrupt_watch& interrupt) {
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

  void hook(const char* option, const std::string& command) {
    if (const int s = run_shell(command); s != 0)
      throw error(1, fmt::format("{} '{}' {}", option, command, describe_exit(s)));
  }

  int finish(const outputs& out, bool complete) {
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
    if (!complete) {
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

  const run_options& options_;
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
