// bb: identical workloads over many runtimes. The verbs, and how errors end the program.

#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <cstdio>
#include <iostream>

#include "harness/error.hpp"
#include "harness/round.hpp"
#include "harness/text.hpp"
#include "harness/tool_record.hpp"
#include "harness/verbs.hpp"

namespace {

struct verb {
  std::string_view name;
  std::string_view help;
  int (*call)(const bb::registry&, const bb::arguments&);
};

constexpr std::array verbs{
    verb{"run", "measure cells; the default verb", bb::verb_run},
    verb{"list", "workloads, runtimes and every cell, with the reason of each empty one",
         bb::verb_list},
    verb{"show", "the table of a result file again", bb::verb_show},
    verb{"topology", "the machine's cores and the pin plan of each policy", bb::verb_topology},
    verb{"doctor", "what on this machine makes numbers unreliable, and how to mend it",
         bb::verb_doctor},
    verb{"resume", "go on with an interrupted run", bb::verb_resume},
    verb{"tax", "what the harness' generic bodies cost beside native ones", bb::verb_tax},
    verb{"plot", "scaling charts of a result file (SVG and PNG)", bb::verb_plot},
};

void print_help() {
  std::cout
      << "bb: benchmark harness for schedulers, fibers, I/O runtimes and allocators\n\n"
         "  bb --workload tree --threads 1..32      measure; the same as bb run ...\n\nverbs:\n";
  for (const auto& v : verbs) std::cout << fmt::format("  {:<10} {}\n", v.name, v.help);
  std::cout << "\n`bb VERB --help` lists the options of a verb. `bb --version` tells the build.\n";
}

int dispatch(const bb::registry& table, bb::arguments args) {
  if (args.empty() || args.front() == "--help" || args.front() == "-h") return print_help(), 0;
  if (args.front() == "--version") return std::cout << bb::version_text(), 0;
  if (args.front().starts_with("-")) return bb::verb_run(table, args);
  std::vector<std::string> known;
  for (const auto& v : verbs) {
    if (v.name == args.front()) return v.call(table, {args.begin() + 1, args.end()});
    known.emplace_back(v.name);
  }
  throw bb::usage_error(bb::unknown_word("verb", args.front(), known));
}

}  // namespace

int main(int argc, char** argv) try {
  const bb::registry table = bb::make_registry();
  if (argc == 2 && std::string_view(argv[1]) == bb::round_verb) return bb::round_main(table);
  // A reader that is gone and a file that grew too large are errors to tell, not deaths.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  const int code = dispatch(table, {argv + 1, argv + argc});
  std::cout.flush();
  if (!std::cout)
    throw bb::output_error("cannot write to stdout: the reader is gone or the disk is full");
  return code;
} catch (const bb::error& fault) {
  std::fprintf(stderr, "bb: %s\n", fault.what());
  return fault.exit_code();
} catch (const std::exception& fault) {
  std::fprintf(stderr, "bb: unexpected: %s\n", fault.what());
  return 1;
}
