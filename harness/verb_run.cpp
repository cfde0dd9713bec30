// run, resume, show: the verbs about results.

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "harness/cli.hpp"
#include "harness/cli_app.hpp"
#include "harness/error.hpp"
#include "harness/output_file.hpp"
#include "harness/progress.hpp"
#include "harness/resume.hpp"
#include "harness/session.hpp"
#include "harness/table.hpp"
#include "harness/verbs.hpp"

namespace bb {
namespace {

// Hooks are commands with paths in them, so a result does not hold them; but without them it is another measurement.
void demand_hooks(const run_result& r, const run_options& o) {
  if (r.settings.value("setup", false) && o.setup.empty())
    throw usage_error("the run had --setup, which results do not keep; give it again");
  if (r.settings.value("cleanup", false) && o.cleanup.empty())
    throw usage_error("the run had --cleanup, which results do not keep; give it again");
}

}  // namespace

int verb_run(const registry& table, const arguments& args) {
  const auto options = parse_run(table, args);
  return options ? run_session(table, *options, nullptr) : 0;
}

int verb_resume(const registry& table, const arguments& args) {
  CLI::App app(
      "Go on with an interrupted run: the trials that are missing, in the order they would have "
      "had.",
      "resume");
  std::string path, json_path;
  std::string setup, cleanup;
  bool quiet = false;
  app.add_option("file", path, "result file")->required();
  app.add_option("--setup", setup, "as in the run, if it had one");
  app.add_option("--cleanup", cleanup, "as in the run, if it had one");
  app.add_option("--json", json_path, "write here instead of to the same file");
  app.add_flag("--quiet", quiet, "no table, no progress");
  if (!parse_arguments(app, args)) return 0;
  const run_result done = read_result(path);
  run_options o = options_of(done, path);
  o.setup = setup;
  o.cleanup = cleanup;
  demand_hooks(done, o);
  o.json_path = json_path.empty() ? path : json_path;
  o.quiet = quiet;
  return run_session(table, o, &done);
}

int verb_show(const registry&, const arguments& args) {
  CLI::App app("Print the table of a result file.", "show");
  std::string path, format = "table";
  app.add_option("file", path, "result file; - is stdin")->required();
  app.add_option("--format", format, "table, markdown, csv or json")
      ->check(CLI::IsMember({"table", "markdown", "csv", "json"}));
  if (!parse_arguments(app, args)) return 0;
  const run_result r = read_result(path);
  if (format == "markdown") std::cout << to_markdown(r);
  if (format == "csv") std::cout << to_csv(r);
  if (format == "json") std::cout << to_text(r);
  if (format == "table") std::cout << to_table(r, wants_colour(STDOUT_FILENO));
  return exit_code_of(r);
}

}  // namespace bb
