#include "harness/options.hpp"

#include "harness/error.hpp"
#include "harness/text.hpp"

namespace bb {

json to_json(const run_options& o) {
  return {{"workloads", o.what.workloads},
          {"runtimes", o.what.runtimes},
          {"variant", o.what.variant},
          {"threads", o.what.threads},
          {"pin", o.what.pins},
          {"params", json(o.what.params)},
          {"filters", o.what.filters},
          {"full", o.what.full},
          {"smoke", o.what.smoke},
          {"time_ns", o.how.time_ns},
          {"warmup_ns", o.how.warmup_ns},
          {"cooldown_ns", o.how.cooldown_ns},
          {"timeout_ns", o.how.timeout_ns},
          {"budget_ns", o.how.budget_ns},
          {"samples", o.how.samples},
          {"trials", o.how.trials},
          {"max_trials", o.how.max_trials},
          {"precision", o.how.precision},
          {"thp", o.how.thp},
          {"membind", o.how.membind},
          {"require", o.require}};
}

run_options run_options_from_json(const json& s) {
  run_options o;
  o.what.workloads = s.at("workloads").get<std::string>();
  o.what.runtimes = s.at("runtimes").get<std::string>();
  o.what.variant = s.at("variant").get<std::string>();
  o.what.threads = s.at("threads").get<std::string>();
  o.what.pins = s.at("pin").get<std::string>();
  o.what.params = s.at("params").get<std::map<std::string, std::string>>();
  o.what.filters = s.at("filters").get<std::vector<std::string>>();
  o.what.full = s.at("full").get<bool>();
  o.what.smoke = s.at("smoke").get<bool>();
  o.how.time_ns = s.at("time_ns").get<std::uint64_t>();
  o.how.warmup_ns = s.at("warmup_ns").get<std::uint64_t>();
  o.how.cooldown_ns = s.at("cooldown_ns").get<std::uint64_t>();
  o.how.timeout_ns = s.at("timeout_ns").get<std::uint64_t>();
  o.how.budget_ns = s.at("budget_ns").get<std::uint64_t>();
  o.how.samples = s.at("samples").get<unsigned>();
  o.how.trials = s.at("trials").get<unsigned>();
  o.how.max_trials = s.at("max_trials").get<unsigned>();
  o.how.precision = s.at("precision").get<double>();
  o.how.thp = s.at("thp").get<std::string>();
  o.how.membind = s.at("membind").get<std::string>();
  o.require = s.at("require").get<bool>();
  return o;
}

thp_policy parse_thp(std::string_view word) {
  if (word == "system") return thp_policy::system;
  if (word == "off") return thp_policy::off;
  if (word == "on") return thp_policy::on;
  throw usage_error("--thp: " + unknown_word("value", word, {"system", "off", "on"}));
}

}  // namespace bb
