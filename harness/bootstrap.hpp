#pragma once
// How much slower is one cell than another, and how sure is that?

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stats.hpp"

namespace bb {

/// The samples of one cell, trial by trial.
using trial_samples = std::vector<std::vector<double>>;

struct bootstrap_options {
  bool paired = false;  // trial i of both cells belongs to round i: rounds are drawn, not trials
  unsigned resamples = 2000;  // at least 1
  std::uint64_t seed = 1;
};

struct ratio_estimate {
  double ratio;                  // median of `other`'s trial medians / the same of `base`
  std::optional<interval> ci95;  // nothing if a side has fewer than 6 trials
};

/// The ratio of medians with a hierarchical bootstrap interval: trials (or rounds) are drawn with
/// replacement, then as many samples within each as it has (T. Kalibera and R. Jones, "Quantifying
/// performance changes with effect size confidence intervals", 2012). Independent trials take the
/// percentile interval, which covers 95 % from 6 trials on; rounds, drawn together, would cover
/// less at so few, so theirs is widened as T. Hesterberg proposes ("What teachers should know about
/// the bootstrap", 2015, expanded percentile interval). The tests hold both to 95 % by simulation.
///
/// Nothing where a ratio makes no sense: a side without trials, an empty trial, a value that is not
/// finite or negative, a base that is not above zero, or `paired` with different numbers of trials.
/// The same seed gives the same interval.
std::optional<ratio_estimate> ratio_of_medians(const trial_samples& base,
                                               const trial_samples& other,
                                               const bootstrap_options& options = {});

}  // namespace bb
