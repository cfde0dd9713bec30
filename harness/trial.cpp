#include "harness/trial.hpp"

#include <fmt/format.h>

#include <memory>

#include "harness/cpu_settings.hpp"
#include "harness/error.hpp"
#include "harness/machine_noise.hpp"
#include "harness/sampler.hpp"
#include "harness/seat.hpp"
#include "harness/steadiness.hpp"
#include "harness/units.hpp"
#include "harness/usage.hpp"

namespace bb {
namespace {

/// config's view of the seats of this trial.
struct trial_seating final : seating {
  explicit trial_seating(const pin_plan& plan) : taken(plan) {}
  void sit(unsigned worker) const override { taken.sit(worker); }
  mutable seats taken;
};

entry entry_of(const values& params) {
  const value* how = params.find("entry");
  return how != nullptr && std::get<std::string>(*how) == "once" ? entry::once : entry::each;
}

json outcome(status s, std::string reason, json record) {
  return {{"status", to_string(s)},
          {"reason", std::move(reason)},
          {"samples", json::array()},
          {"warmups", json::array()},
          {"record", std::move(record)}};
}

std::vector<double> per_operation(const timed_batches& t, double operations_per_run) {
  std::vector<double> out;
  const double operations = static_cast<double>(t.runs_per_batch) * operations_per_run;
  for (const auto ns : t.batch_ns) out.push_back(static_cast<double>(ns) / operations);
  return out;
}

std::vector<double> warmups_per_operation(const timed_batches& t, double operations_per_run) {
  std::vector<double> out;
  for (const auto& b : t.warmups)
    out.push_back(static_cast<double>(b.ns) / (static_cast<double>(b.runs) * operations_per_run));
  return out;
}

json describe(const timed_batches& t, const usage& cost, double operations,
              double bytes_per_operation) {
  json j{{"runs_per_sample", t.runs_per_batch},
         {"operations", operations},
         {"bytes_per_op", bytes_per_operation},
         {"first_run_ns", t.first_run_ns},
         {"warmup_ns", t.warmup_ns},
         {"cpu_ns_per_op",
          operations > 0 ? json(static_cast<double>(cost.cpu_ns) / operations) : json(nullptr)},
         {"cpu", cpu_json(cost)},
         {"memory", memory_json(cost)},
         {"counters", counters_json(cost)},
         {"energy_j", cost.energy_j ? json(*cost.energy_j) : json(nullptr)},
         {"notes", cost.notes}};
  return j;
}

json describe(const std::vector<double>& samples) {
  const auto found = test_steadiness(samples);
  if (!found) return nullptr;
  return {{"label", to_text(found->label)}, {"trend", found->trend}, {"step", found->step}};
}

// Of the last minute: what else ran on this machine, as far as one number tells.
json load_average() {
  const auto load = read_load({});
  return load.empty() ? json(nullptr) : json(load.front());
}

// So that a stored result can be fitted without the program that made it.
json describe(const series_spec* s) {
  if (s == nullptr) return nullptr;
  return {{"parameter", s->parameter},
          {"slope", s->slope},
          {"intercept", s->intercept},
          {"per_run", s->per_run}};
}

void refuse_too_slow(std::uint64_t first_run_ns, std::uint64_t most_ns) {
  if (first_run_ns > most_ns)
    throw cannot_finish(fmt::format(
        "one run takes {}, too long for the least number of samples; --time lifts the budget",
        format_ns(static_cast<double>(first_run_ns))));
}

std::string wrong_answer(const timed_batches& t) {
  return fmt::format(
      "{} of the answers differ from the oracle, the first run's {}; no number is given", t.wrong,
      t.runs_per_batch == 0 ? "among them" : "not among them");
}

}  // namespace

json run_trial(const trial_cell& cell, const trial_settings& settings) {
  if (const auto problem = confine_process(cell.pins))
    return outcome(status::failed, *problem, json::object());
  usage_meter meter;  // before any thread starts, so that counters are inherited
  const trial_seating seating(cell.pins);
  const config c{.threads = cell.threads, .seats = &seating, .arm = cell.arm};
  const std::unique_ptr<cell_body> body = cell.body->make(*cell.input, c);

  sampler timing(*body, entry_of(cell.params), settings);
  json record = json::object();
  std::vector<double> samples;
  if (timing.check()) {
    refuse_too_slow(timing.result().first_run_ns, settings.most_first_run_ns);
    timing.warm_up();
    const machine_noise quiet = sample_machine_noise();
    meter.begin();
    timing.sample();
    const usage cost = meter.end();
    const double per_run = cell.workload->operations(cell.params);
    samples = per_operation(timing.result(), per_run);
    record = describe(timing.result(), cost, static_cast<double>(timing.result().runs) * per_run,
                      cell.workload->bytes_per_operation(cell.params));
    record["noise"] = to_json(sample_machine_noise() - quiet);
    record["load"] = load_average();
    record["steadiness"] = describe(samples);
    record["series"] = describe(cell.workload->series);
    record["loaded"] = body->loaded().empty() ? json(nullptr) : json(body->loaded());
  }
  const seat_report taken = seating.taken.report();
  record["pin"] = to_json(cell.pins, taken);
  if (timing.result().wrong != 0)
    return outcome(status::wrong, wrong_answer(timing.result()), record);
  if (!taken.problem.empty()) return outcome(status::failed, taken.problem, record);
  json good = outcome(status::ok, "", record);
  good["samples"] = samples;
  good["warmups"] = warmups_per_operation(timing.result(), cell.workload->operations(cell.params));
  return good;
}

}  // namespace bb
