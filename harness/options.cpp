#include "harness/options.hpp"

#include <fmt/format.h>

#include "harness/error.hpp"
#include "harness/membind.hpp"
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
          {"require", o.require},
          {"setup", !o.setup.empty()},
          {"cleanup", !o.cleanup.empty()}};
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

namespace {

constexpr std::uint64_t longest_ns = std::uint64_t{366} * 24 * 3600 * 1'000'000'000;

void check_time(const char* option, std::uint64_t ns) {
  if (ns > longest_ns)
    throw usage_error(fmt::format("{}: longer than a year; give a time such as 120s", option));
}

void check_count(const char* option, unsigned n, unsigned least, unsigned most) {
  if (n < least || n > most)
    throw usage_error(fmt::format("{}: {} is out of range; use {} to {}", option, n, least, most));
}

}  // namespace

void validate(const measuring& how) {
  check_time("--time", how.time_ns);
  check_time("--warmup", how.warmup_ns);
  check_time("--cooldown", how.cooldown_ns);
  check_time("--timeout", how.timeout_ns);
  check_time("--budget", how.budget_ns);
  if (how.timeout_ns == 0)
    throw usage_error(
        "--timeout: 0 would kill every trial; leave it out, or give a time such as 120s");
  check_count("--samples", how.samples, 0, 100'000);
  check_count("--trials", how.trials, 1, 10'000);
  check_count("--max-trials", how.max_trials, 1, 10'000);
  if (!(how.precision >= 0 && how.precision <= 1)) throw usage_error("--precision: use 0% to 100%");
  static_cast<void>(parse_thp(how.thp));
  static_cast<void>(parse_mem_policy(how.membind));
}

thp_policy parse_thp(std::string_view word) {
  if (word == "system") return thp_policy::system;
  if (word == "off") return thp_policy::off;
  if (word == "on") return thp_policy::on;
  throw usage_error("--thp: " + unknown_word("value", word, {"system", "off", "on"}));
}

}  // namespace bb
