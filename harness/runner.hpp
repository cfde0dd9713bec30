#pragma once
// Drives a plan: rounds of fresh processes, one trial of each cell a round, results as they come.

#include <functional>
#include <vector>

#include "harness/cell.hpp"
#include "harness/interrupt.hpp"

namespace bb {

/// What a runner tells while it goes. All optional.
struct runner_events {
  std::function<void(const planned_cell&, unsigned round)> before_part;
  std::function<void(std::size_t cell)> after_trial;  // its result has the new samples
  std::function<void()> after_round;
};

class runner {
 public:
  /// `cells` are updated in place; trials that they already have (a resumed run) are not repeated.
  runner(std::vector<planned_cell>& cells, json& ceilings, const measuring& how,
         interrupt_watch& interrupt, runner_events events);

  /// Until every cell has its trials, or an interruption. Returns false for the latter.
  bool run();

  /// Trials still to come, at most, and the time that they take by what is known now.
  std::size_t trials_left() const;
  double seconds_left() const;

 private:
  bool wants(const planned_cell& cell, unsigned round) const;
  bool wants_more(const planned_cell& cell) const;
  std::uint64_t most_first_run_ns() const;
  std::uint64_t timeout_ns(const row& r) const;
  bool run_part(const round_part& part, unsigned round);
  std::string job_of(const round_part& part, const std::vector<std::size_t>& cells) const;
  void take(const json& event, unsigned round, const std::vector<std::size_t>& cells,
            std::vector<std::size_t>& open);
  void record(planned_cell& cell, const json& outcome, unsigned round, std::uint64_t wall_ns);
  void settle_unfinished();

  std::vector<planned_cell>& cells_;
  json& ceilings_;
  const measuring how_;
  interrupt_watch& interrupt_;
  runner_events events_;
  const std::uint64_t min_batch_ns_;  // by this machine's clock
  unsigned round_ = 0;
  unsigned order_ = 0;  // trials so far in this round
  std::uint64_t last_event_ns_ = 0;
};

}  // namespace bb
