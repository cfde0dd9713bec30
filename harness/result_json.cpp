// A result to and from JSON. Every number that was not measured is null; NaN never occurs.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>

#include "harness/error.hpp"
#include "harness/result.hpp"
#include "harness/series.hpp"

namespace bb {
namespace {

json number_or_null(const std::optional<double>& v) {
  if (!v || !std::isfinite(*v)) return nullptr;
  return *v;
}

json to_json(const summary& s) {
  json interval = nullptr;
  if (s.low && s.high) interval = json::array({*s.low, *s.high});
  return {{"trials", s.trials},
          {"n", s.n},
          {"median", number_or_null(s.median)},
          {"ci95", interval},
          {"min", number_or_null(s.min)},
          {"mad", number_or_null(s.mad)}};
}

json to_json(const sample& s) {
  return {{"v", number_or_null(s.v)},
          {"trial", s.trial},
          {"round", s.round},
          {"order", s.order},
          {"warmup", s.warmup}};
}

// Medians over the trials of the numbers under `folder` of each trial's record.
json medians_of(const cell_result& c, const std::string& folder,
                std::initializer_list<const char*> names) {
  json j = json::object();
  for (const char* name : names) j[name] = number_or_null(trial_median(c, folder + "/" + name));
  return j;
}

json cpu_of(const cell_result& c) {
  json j{{"cpu_ns_per_op", number_or_null(trial_median(c, "/cpu_ns_per_op"))}};
  j.update(medians_of(c, "/cpu",
                      {"user_ns", "system_ns", "voluntary_switches", "involuntary_switches",
                       "minor_faults", "major_faults", "migrations"}));
  j["energy_j"] = number_or_null(trial_median(c, "/energy_j"));
  return j;
}

}  // namespace

json to_json(const cell_result& c) {
  json j{{"workload", c.workload},
         {"params", to_json(c.params)},
         {"runtime", c.runtime},
         {"variant", c.variant},
         {"arm", c.arm},
         {"threads", c.threads},
         {"status", to_string(c.state)}};
  j["reason"] = c.reason.empty() ? json(nullptr) : json(c.reason);
  j["unit"] = c.unit;
  j["better"] = c.better;
  j["summary"] = to_json(summarise(c));
  const std::string steady = steadiness_of(c);
  j["steadiness"] = steady.empty() ? json(nullptr) : json(steady);
  j["cpu"] = cpu_of(c);
  j["memory"] = medians_of(c, "/memory", {"rss_growth_bytes", "peak_growth_bytes"});
  j["latency"] = c.latency;
  j["rate"] = c.rate;
  j["pin"] = c.pin;
  j["trials"] = c.trials;
  j["samples"] = json::array();
  for (const auto& s : c.samples) j["samples"].push_back(to_json(s));
  return j;
}

namespace {

// What later code takes for granted of parts that stay JSON. Throws what nlohmann throws, or input_error.
std::uint32_t whole(const json& j, const char* key) {
  const json& v = j.at(key);
  if (!v.is_number_unsigned() || v.get<std::uint64_t>() > 0xffffffffu)
    throw input_error(fmt::format("\"{}\" is {}, not a whole number", key, v.dump()));
  return v.get<std::uint32_t>();
}

json checked_trial(const json& t) {
  whole(t, "round");
  whole(t, "trial");
  if (t.contains("wall_total_ns") && !t["wall_total_ns"].is_number_unsigned())
    throw input_error("a trial's \"wall_total_ns\" is not a whole number");
  if (const json s = t.value("steadiness", json()); !s.is_null())
    static_cast<void>(s.at("label").get<std::string>());
  return t;
}

void check_pin(const json& pin) {
  static_cast<void>(pin.at("policy").get<std::string>());
  static_cast<void>(pin.at("planned").get<std::vector<unsigned>>());
  static_cast<void>(pin.at("oversubscribed").get<bool>());
}

void check_ceiling(const json& c) {
  static_cast<void>(c.at("workload").get<std::string>());
  static_cast<void>(c.at("pus").get<std::vector<unsigned>>());
  static_cast<void>(c.at("gb_per_s").get<double>());
  static_cast<void>(values_from_json(c.at("input")));
}

sample sample_from_json(const json& j) {
  return {j.at("v").is_number() ? j.at("v").get<double>() : 0.0, j.value("trial", 0u),
          j.value("round", 0u), j.value("order", 0u), j.value("warmup", false)};
}

cell_result cell_from_json(const json& j) {
  cell_result c;
  c.workload = j.at("workload").get<std::string>();
  c.params = values_from_json(j.at("params"));
  c.runtime = j.at("runtime").get<std::string>();
  c.variant = j.value("variant", "");
  c.arm = j.value("arm", "");
  c.threads = whole(j, "threads");
  const auto state = status_from(j.at("status").get<std::string>());
  if (!state) throw input_error("unknown status '" + j.at("status").get<std::string>() + "'");
  c.state = *state;
  if (j.contains("reason") && j["reason"].is_string()) c.reason = j["reason"].get<std::string>();
  c.unit = j.value("unit", "ns/op");
  c.better = j.value("better", "lower");
  if (j.contains("latency")) c.latency = j["latency"];
  if (j.contains("rate")) c.rate = j["rate"];
  if (j.contains("pin")) c.pin = j["pin"];
  for (const auto& t : j.value("trials", json::array())) c.trials.push_back(checked_trial(t));
  if (!c.pin.is_null()) check_pin(c.pin);
  for (const auto& s : j.value("samples", json::array()))
    if (s.at("v").is_number()) c.samples.push_back(sample_from_json(s));
  return c;
}

}  // namespace

json head_of(const run_result& r) {
  return {{"schema", "bb/1"},       {"tool", r.tool},         {"started", r.started},
          {"finished", r.finished}, {"partial", r.partial},   {"seed", r.seed},
          {"argv", r.argv},         {"tags", r.tags},         {"settings", r.settings},
          {"machine", r.machine},   {"ceilings", r.ceilings}, {"warnings", r.warnings}};
}

json to_json(const run_result& r) {
  json j = head_of(r);
  j["cells"] = json::array();
  for (const auto& c : r.cells) j["cells"].push_back(to_json(c));
  j["series"] = series_json(r);
  return j;
}

run_result run_result_from_json(const json& j, std::string_view name) try {
  const std::string schema = j.is_object() ? j.value("schema", "") : "";
  if (schema.empty())
    throw input_error(fmt::format("{} is not a result of bb: it has no \"schema\"", name));
  if (schema != "bb/1")
    throw input_error(fmt::format(
        "{} has schema '{}', this bb reads 'bb/1'; use the bb that wrote it", name, schema));
  run_result r;
  const auto take = [&](const char* key, json& into) {
    if (j.contains(key)) into = j[key];
  };
  take("tool", r.tool);
  take("machine", r.machine);
  take("settings", r.settings);
  take("tags", r.tags);
  take("warnings", r.warnings);
  take("argv", r.argv);
  take("ceilings", r.ceilings);
  r.started = j.value("started", "");
  r.finished = j.at("finished").is_string() ? j["finished"].get<std::string>() : "";
  r.partial = j.value("partial", false);
  r.seed = j.value("seed", std::uint64_t{0});
  for (const auto& c : r.ceilings) check_ceiling(c);
  for (const auto& c : j.at("cells")) r.cells.push_back(cell_from_json(c));
  return r;
} catch (const json::exception& fault) {
  throw input_error(fmt::format("{} is not a valid result of bb: {}", name, fault.what()));
}

namespace {

// Deeper than any result; without a bound, a hostile file would end the program by its stack.
constexpr int deepest = 64;

json parse_bounded(std::istream& in) {
  return json::parse(in, [](int depth, json::parse_event_t, json&) {
    if (depth > deepest) throw input_error("nested too deeply for a result");
    return true;
  });
}

}  // namespace

run_result read_result(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) throw input_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  const std::string name = path == "-" ? "stdin" : path;
  try {
    return run_result_from_json(parse_bounded(path == "-" ? std::cin : file), name);
  } catch (const json::parse_error& fault) {
    throw input_error(fmt::format("'{}' is not JSON (byte {}): cut short, or not a result file",
                                  name, fault.byte));
  } catch (const json::exception& fault) {
    throw input_error(fmt::format("'{}' is not a valid result of bb: {}", name, fault.what()));
  } catch (const input_error& fault) {
    const std::string text = fault.what();
    throw input_error(text.find(name) != std::string::npos ? text
                                                           : fmt::format("'{}': {}", name, text));
  }
}

}  // namespace bb
