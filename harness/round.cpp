#include "harness/round.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "harness/bandwidth.hpp"
#include "harness/clock.hpp"
#include "harness/error.hpp"
#include "harness/membind.hpp"
#include "harness/options.hpp"
#include "harness/process.hpp"
#include "harness/trial.hpp"
#include "harness/units.hpp"

namespace bb {
namespace {

// Waits until the driver has dealt with the event: its writing must not share the CPUs with the next trial.
void emit(const json& event) {
  char answer;
  if (!write_all(4, event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n") ||
      read(4, &answer, 1) != 1)
    _exit(1);  // the driver is gone
}

pin_plan pins_from_json(const json& j) {
  pin_plan p;
  p.policy = j.at("policy").get<std::string>();
  p.threads = j.at("threads").get<unsigned>();
  p.pus = j.at("planned").get<std::vector<unsigned>>();
  p.allowed = j.at("allowed").get<std::vector<unsigned>>();
  p.oversubscribed = j.at("oversubscribed").get<bool>();
  return p;
}

arm_values arm_from_json(const json& j) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& [key, text] : j.items()) items.emplace_back(key, text.get<std::string>());
  return arm_values(std::move(items));
}

json failure(status s, std::string reason) {
  return {{"status", to_string(s)},
          {"reason", std::move(reason)},
          {"samples", json::array()},
          {"record", json::object()}};
}

const char* hint(int wait_status) {
  const bool killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
  return killed ? ", most likely because memory ran out" : "";
}

json outcome_of(const fork_outcome& child, const row& r, std::uint64_t timeout_ns) {
  if (child.timed_out && r.may_not_finish)
    return failure(
        status::did_not_finish,
        fmt::format("did not end within {} s, as {} may at fine grain (--timeout gives more)",
                    timeout_ns / 1'000'000'000, r.id));
  if (child.timed_out)
    return failure(
        status::timeout,
        fmt::format(
            "did not end within {} s: hung, or far slower than the others (--timeout gives more)",
            timeout_ns / 1'000'000'000));
  if (!WIFEXITED(child.wait_status) || WEXITSTATUS(child.wait_status) != 0)
    return failure(status::failed,
                   "the trial " + describe_exit(child.wait_status) + hint(child.wait_status));
  const json outcome = json::parse(child.text, nullptr, false);
  if (outcome.is_discarded()) return failure(status::failed, "the trial ended without a result");
  return outcome;
}

std::string guarded_trial(const trial_cell& cell, const trial_settings& settings) {
  const std::uint64_t start = now_ns();
  try {
    return run_trial(cell, settings).dump(-1, ' ', false, json::error_handler_t::replace);
  } catch (const cannot_finish& limit) {
    return failure(status::did_not_finish,
                   fmt::format("{} (after {})", limit.what(),
                               format_ns(static_cast<double>(now_ns() - start))))
        .dump();
  } catch (const std::exception& fault) {
    return failure(status::failed, fault.what()).dump();
  }
}

void run_cell(const registry& table, const json& job, const json& j, const erased_input& input) {
  const row& r = table.runtime(j.at("runtime").get<std::string>());
  const trial_cell cell{.workload = &table.workload(job.at("workload").get<std::string>()),
                        .body = find_body(r, job.at("workload").get<std::string>(),
                                          j.at("variant").get<std::string>()),
                        .input = &input,
                        .params = values_from_json(j.at("params")),
                        .arm = arm_from_json(j.at("arm")),
                        .threads = j.at("threads").get<unsigned>(),
                        .pins = pins_from_json(j.at("pin"))};
  const trial_settings settings{.warmup_ns = j.at("warmup_ns").get<std::uint64_t>(),
                                .time_ns = j.at("time_ns").get<std::uint64_t>(),
                                .min_batch_ns = job.at("min_batch_ns").get<std::uint64_t>(),
                                .most_first_run_ns = j.at("most_first_run_ns").get<std::uint64_t>(),
                                .samples = j.at("samples").get<unsigned>()};
  const std::uint64_t timeout_ns = j.at("timeout_ns").get<std::uint64_t>();
  std::this_thread::sleep_for(std::chrono::nanoseconds(job.at("cooldown_ns").get<std::uint64_t>()));
  const fork_outcome child = run_forked([&] { return guarded_trial(cell, settings); }, timeout_ns);
  emit({{"cell", j.at("index")}, {"outcome", outcome_of(child, r, timeout_ns)}});
}

// In a child: it starts threads, and this process must not.
void measure_ceiling(const erased_input& input, const json& pus) {
  const auto cpus = pus.get<std::vector<unsigned>>();
  const auto body = [&] {
    const auto found = read_bandwidth(input.memory(), cpus);
    return (found ? json(found->gb_per_s) : json(nullptr)).dump();
  };
  const fork_outcome child = run_forked(body, 30'000'000'000);
  const json gb = json::parse(child.text, nullptr, false);
  if (gb.is_number())
    emit({{"ceiling", {{"threads", cpus.size()}, {"pus", cpus}, {"gb_per_s", gb}}}});
}

}  // namespace

int round_main(const registry& table) {
  try {
    const json job = json::parse(read_all(3));
    set_thp_policy(parse_thp(job.at("thp").get<std::string>()));
    if (const auto problem =
            apply_mem_policy(parse_mem_policy(job.at("membind").get<std::string>())))
      throw error(1, *problem);
    const auto input = table.workload(job.at("workload").get<std::string>())
                           .make_input(values_from_json(job.at("input")));
    for (const auto& pus : job.at("ceilings")) measure_ceiling(*input, pus);
    for (const auto& cell : job.at("cells")) run_cell(table, job, cell, *input);
  } catch (const std::exception& fault) {
    emit({{"error", fault.what()}});
  }
  return 0;
}

}  // namespace bb
