#include "harness/runner.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "harness/clock.hpp"
#include "harness/process.hpp"
#include "harness/round.hpp"

namespace bb {
namespace {

constexpr std::size_t least_samples = 3;  // over all trials of a cell
constexpr unsigned hard_budgets = 4;      // a cell below least_samples may take this many budgets
constexpr std::uint64_t input_allowance_ns =
    300'000'000'000;  // for building an input and measuring ceilings
constexpr double ceiling_least_bytes =
    64.0 * 1024 * 1024;  // a smaller input says more of caches than of memory

std::uint64_t spent_ns(const cell_result& c) {
  std::uint64_t sum = 0;
  for (const auto& t : c.trials) sum += t.value("wall_total_ns", std::uint64_t{0});
  return sum;
}

std::size_t timed_samples(const cell_result& c) {
  return static_cast<std::size_t>(
      std::count_if(c.samples.begin(), c.samples.end(), [](auto& s) { return !s.warmup; }));
}

bool has_round(const cell_result& c, unsigned round) {
  return std::any_of(c.trials.begin(), c.trials.end(),
                     [&](const json& t) { return t.value("round", 0u) == round; });
}

// Half the interval's width as a fraction of the median; nothing before there is an interval.
bool narrow_enough(const cell_result& c, double precision) {
  const summary s = summarise(c);
  return s.low && s.high && s.median && *s.median > 0 &&
         (*s.high - *s.low) / 2 <= precision * *s.median;
}

}  // namespace

runner::runner(std::vector<planned_cell>& cells, json& ceilings, const measuring& how,
               interrupt_watch& interrupt, runner_events events)
    : cells_(cells),
      ceilings_(ceilings),
      how_(how),
      interrupt_(interrupt),
      events_(std::move(events)),
      min_batch_ns_(min_batch_ns(measure_clock())) {}

bool runner::wants_more(const planned_cell& cell) const {
  const cell_result& c = cell.result;
  if (cell.body == nullptr || c.state != status::ok) return false;
  const bool by_precision = how_.precision > 0 && c.trials.size() >= how_.trials;
  if (c.trials.size() >=
      (how_.precision > 0 ? std::max(how_.trials, how_.max_trials) : how_.trials))
    return false;
  if (by_precision && narrow_enough(c, how_.precision)) return false;
  if (how_.budget_ns == 0 || c.trials.empty()) return true;
  const std::uint64_t spent = spent_ns(c);
  if (timed_samples(c) < least_samples) return spent < hard_budgets * how_.budget_ns;
  return spent + spent / c.trials.size() <= how_.budget_ns;
}

bool runner::wants(const planned_cell& cell, unsigned round) const {
  return wants_more(cell) && !has_round(cell.result, round);
}

bool runner::run() {
  const unsigned rounds = how_.precision > 0 ? std::max(how_.trials, how_.max_trials) : how_.trials;
  for (round_ = 0; round_ < rounds; ++round_) {
    order_ = 0;
    for (const auto& part : order_round(cells_, how_.seed, round_))
      if (interrupt_.raised() || !run_part(part, round_)) return false;
    if (events_.after_round) events_.after_round();
  }
  settle_unfinished();
  return true;
}

void runner::settle_unfinished() {
  for (auto& cell : cells_) {
    cell_result& c = cell.result;
    if (cell.body == nullptr || c.state != status::ok || c.trials.empty()) continue;
    const double seconds = static_cast<double>(spent_ns(c)) / 1e9;
    if (how_.budget_ns != 0 &&
        timed_samples(c) < std::min<std::size_t>(least_samples, how_.trials)) {
      c.state = status::did_not_finish;
      c.reason = fmt::format("{} samples in {:.1f} s; --time or --trials lifts the budget",
                             timed_samples(c), seconds);
    } else if (c.trials.size() < how_.trials) {
      c.reason =
          fmt::format("slow: {} of {} trials in {:.1f} s; --time or --trials lifts the budget",
                      c.trials.size(), how_.trials, seconds);
    }
  }
}

// A cell whose first run is slower cannot have its least number of samples within its hard budgets.
std::uint64_t runner::most_first_run_ns() const {
  return how_.budget_ns == 0 ? ~std::uint64_t{0} : hard_budgets * how_.budget_ns / least_samples;
}

// A runtime known for not finishing is not waited for longer than its budget allows.
std::uint64_t runner::timeout_ns(const row& r) const {
  const bool bounded = r.may_not_finish && how_.budget_ns != 0;
  return bounded ? std::min(how_.timeout_ns, hard_budgets * how_.budget_ns) : how_.timeout_ns;
}

std::string runner::job_of(const round_part& part, const std::vector<std::size_t>& cells) const {
  const planned_cell& first = cells_[part.cells.front()];
  json job{{"workload", first.workload->id},
           {"input", to_json(first.result.params)},
           {"thp", how_.thp},
           {"membind", how_.membind},
           {"min_batch_ns", min_batch_ns_},
           {"cooldown_ns", how_.cooldown_ns},
           {"ceilings", json::array()},
           {"cells", json::array()}};
  std::set<std::vector<unsigned>> ceilings;
  for (const std::size_t i : cells) {
    const planned_cell& c = cells_[i];
    json arm = json::object();
    for (const auto& [key, text] : c.arm.all()) arm[key] = text;
    job["cells"].push_back({{"index", i},
                            {"runtime", c.result.runtime},
                            {"variant", c.result.variant},
                            {"params", to_json(c.result.params)},
                            {"arm", arm},
                            {"threads", c.result.threads},
                            {"pin", to_json(c.pins)},
                            {"warmup_ns", how_.warmup_ns},
                            {"time_ns", how_.time_ns},
                            {"samples", how_.samples},
                            {"most_first_run_ns", most_first_run_ns()},
                            {"timeout_ns", timeout_ns(*c.runtime)}});
    if (c.pins.binds()) ceilings.insert(c.pins.used());
  }
  const values& params = first.result.params;
  if (first.workload->bytes_per_operation(params) > 0 &&
      first.workload->memory_bytes(params) >= ceiling_least_bytes)
    job["ceilings"] = ceilings;
  return job.dump();
}

bool runner::run_part(const round_part& part, unsigned round) {
  std::vector<std::size_t> open;
  for (const std::size_t i : part.cells)
    if (wants(cells_[i], round)) open.push_back(i);
  if (open.empty()) return true;
  const std::vector<std::size_t> cells = open;
  if (events_.before_part) events_.before_part(cells_[open.front()], round);
  round_process process(round_verb, job_of(part, cells), part.padding);
  std::string text;
  last_event_ns_ = now_ns();
  for (;;) {
    const std::uint64_t allowance = how_.timeout_ns + how_.cooldown_ns + input_allowance_ns;
    pollfd fds[] = {{process.output(), POLLIN, 0}, {interrupt_.fd(), POLLIN, 0}};
    poll(fds, 2, static_cast<int>(std::min<std::uint64_t>(allowance / 1'000'000, 60'000)));
    if (interrupt_.raised()) return false;  // ~round_process ends the children
    if (now_ns() - last_event_ns_ > allowance) process.kill();
    if (fds[0].revents == 0) continue;
    char buffer[65536];
    const ssize_t n = read(process.output(), buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      take(json::parse(text.substr(0, end)), round, cells, open);
      process.acknowledge();
      last_event_ns_ = now_ns();
    }
  }
  const int wait_status = process.wait();
  for (const std::size_t i : open) {  // the process ended before their turn
    cells_[i].result.state = status::failed;
    cells_[i].result.reason = "the process of the round " + describe_exit(wait_status) +
                              (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 127
                                   ? ": bb could not start itself again; is /proc mounted?"
                                   : " while it built the input");
    if (events_.after_trial) events_.after_trial(i);
  }
  return true;
}

void runner::take(const json& event, unsigned round, const std::vector<std::size_t>& cells,
                  std::vector<std::size_t>& open) {
  const std::uint64_t wall = now_ns() - last_event_ns_;
  if (event.contains("ceiling")) {
    json entry = event["ceiling"];
    entry["workload"] = cells_[cells.front()].result.workload;
    entry["input"] = to_json(cells_[cells.front()].input);
    entry["round"] = round;
    ceilings_.push_back(entry);
    return;
  }
  if (event.contains("error")) {
    for (const std::size_t i : open) {
      cells_[i].result.state = status::failed;
      cells_[i].result.reason = event["error"].get<std::string>();
      if (events_.after_trial) events_.after_trial(i);
    }
    open.clear();
    return;
  }
  const std::size_t index = event.at("cell").get<std::size_t>();
  std::erase(open, index);
  record(cells_[index], event.at("outcome"), round, wall);
  if (events_.after_trial) events_.after_trial(index);
}

void runner::record(planned_cell& cell, const json& outcome, unsigned round,
                    std::uint64_t wall_ns) {
  cell_result& c = cell.result;
  const unsigned trial = static_cast<unsigned>(c.trials.size());
  json entry{{"trial", trial}, {"round", round}, {"order", order_}, {"wall_total_ns", wall_ns}};
  entry.update(outcome.at("record"));
  for (const auto& v : outcome.value("warmups", json::array()))
    c.samples.push_back({v, trial, round, order_, true});
  for (const auto& v : outcome.at("samples")) c.samples.push_back({v, trial, round, order_, false});
  ++order_;
  c.trials.push_back(std::move(entry));
  c.state = status_from(outcome.at("status").get<std::string>()).value_or(status::failed);
  if (c.state != status::ok) c.reason = outcome.value("reason", "");
}

std::size_t runner::trials_left() const {
  std::size_t left = 0;
  for (const auto& cell : cells_)
    if (wants_more(cell))
      left += how_.trials > cell.result.trials.size() ? how_.trials - cell.result.trials.size() : 1;
  return left;
}

double runner::seconds_left() const {
  double ns = 0;
  for (const auto& cell : cells_) {
    if (!wants_more(cell)) continue;
    const std::size_t done = cell.result.trials.size();
    const double each =
        done == 0 ? static_cast<double>(expected_trial_ns(how_))
                  : static_cast<double>(spent_ns(cell.result)) / static_cast<double>(done);
    const double left = each * static_cast<double>(how_.trials > done ? how_.trials - done : 1);
    const double budget = how_.budget_ns == 0 ? left : static_cast<double>(how_.budget_ns);
    ns += std::min(left, budget);
  }
  return ns / 1e9;
}

}  // namespace bb
