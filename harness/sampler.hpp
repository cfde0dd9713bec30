#pragma once
// The only timing loop of the harness: warm-up, calibration, samples.

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/cell_body.hpp"
#include "harness/trial.hpp"

namespace bb {

/// A batch before the timed part: shown, flagged as warm-up, and part of no summary.
struct warmup_batch {
  std::uint64_t runs, ns;
};

struct timed_batches {
  std::uint64_t first_run_ns = 0;  // the checked first run, cold
  std::uint64_t warmup_ns = 0;     // as it was, the first run included
  std::uint64_t runs_per_batch = 0;
  std::vector<warmup_batch> warmups;  // the first run is the first of them
  std::vector<std::uint64_t> batch_ns;
  std::uint64_t runs = 0;   // timed
  std::uint64_t wrong = 0;  // wrong answers, timed or not
};

/// A cell body under the clock.
class sampler {
 public:
  sampler(cell_body& body, entry how, const trial_settings& settings);

  /// The first run alone: its answer decides whether there will be numbers at all.
  bool check();
  /// For the fixed warm-up time; batches double meanwhile until one is long enough to be timed.
  void warm_up();
  void sample();

  const timed_batches& result() const { return out_; }

 private:
  std::uint64_t timed(std::uint64_t runs);
  bool enough(std::uint64_t elapsed_ns) const;

  cell_body& body_;
  entry how_;
  trial_settings settings_;
  std::uint64_t target_ns_;
  timed_batches out_;
};

}  // namespace bb
