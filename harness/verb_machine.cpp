// topology and doctor: the verbs about the machine.

#include <iostream>

#include "harness/cli_app.hpp"
#include "harness/doctor.hpp"
#include "harness/ground.hpp"
#include "harness/tool_record.hpp"
#include "harness/topology_report.hpp"
#include "harness/units.hpp"
#include "harness/verbs.hpp"

namespace bb {

int verb_topology(const registry&, const arguments& args) {
  CLI::App app("The machine's cores and the pin plan of each policy.", "topology");
  std::string source;
  unsigned threads = 0;
  bool as_json = false;
  app.add_option("--topology", source,
                 "another machine: hwloc XML file or a description such as \"pack:2 core:4 pu:2\"");
  app.add_option("--threads", threads, "workers to plan for [all that the machine runs at once]")
      ->check(CLI::Range(std::uint64_t{1}, most_threads));
  app.add_flag("--json", as_json, "as JSON");
  if (!parse_arguments(app, args)) return 0;
  const ground g = find_ground(source);
  if (threads == 0) threads = g.default_threads;
  if (as_json)
    std::cout << topology_json(g.machine, threads).dump(1) << "\n";
  else
    std::cout << topology_text(g.machine, threads);
  return 0;
}

int verb_doctor(const registry&, const arguments& args) {
  CLI::App app(
      "What on this machine makes numbers unreliable, and the command that would mend it. Changes "
      "nothing.",
      "doctor");
  bool as_json = false, strict = false;
  app.add_flag("--json", as_json, "as JSON");
  app.add_flag("--strict", strict, "exit 1 if there is a warning");
  if (!parse_arguments(app, args)) return 0;
  const auto findings = examine_machine(debug_build());
  if (as_json)
    std::cout << to_json(findings).dump(1) << "\n";
  else
    std::cout << doctor_table(findings);
  return strict && has_warning(findings) ? 1 : 0;
}

}  // namespace bb
