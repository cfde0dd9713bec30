#pragma once
// Had a trial reached a steady state while it was measured? Its samples, in the order in which they were taken, are
// tested for a trend and for a step. Nothing is dropped for it: the answer is a label beside the result. (E. Barrett et
// al., "Virtual machine warmup blows hot and cold", 2017, found that a good part of programs never become steady.)

#include <optional>
#include <span>
#include <string_view>

namespace bb {

enum class steadiness {
  flat,             // no change that is both significant and large enough to matter
  warming,          // the samples fell, and did not rise afterwards: warm up for longer
  no_steady_state,  // the samples rose, or fell and rose again
};

/// `flat`, `warming`, `no steady state`.
std::string_view to_text(steadiness label);

struct steadiness_options {
  double practical = 0.03;  // a change of less than this part of the median is none
  double significance =
      0.01;  // the share of steady trials that each of the two tests may take for changing
};

/// What the samples of one trial did. Changes are parts of the median: -0.05 means that the samples fell by 5 %.
struct trial_steadiness {
  steadiness label;
  double trend;  // change from the first to the last sample along the Theil-Sen line
  double step;   // change of the median at the likeliest step
};

/// Samples in the order in which they were taken, lower is better. Trend: the Mann-Kendall test, corrected for ties,
/// and the Theil-Sen slope. Step: the change-point test of A. Pettitt (1979). Both know ranks only, so that single
/// outliers do not matter. A change within the first or last tenth of the samples goes unseen, but hardly moves the
/// median either; and below some 16 samples only a trend can be seen. From 257 samples on, medians of 2 or more
/// neighbours are tested.
/// Nothing for fewer than 10 samples; or if a sample is not finite, or the median not above 0. Takes about 1 ms.
std::optional<trial_steadiness> test_steadiness(std::span<const double> samples,
                                                const steadiness_options& options = {});

/// The label of a cell from those of its trials (entries without a value are not counted). One trial may be disturbed
/// or called changing by chance: a cell is not flat when at least two trials, and at least a quarter of all, change (of
/// up to three trials, one is enough). It has no steady state if at least half of the changing ones have none; else it
/// is warming. Nothing if no trial was tested.
std::optional<steadiness> combine_steadiness(
    std::span<const std::optional<trial_steadiness>> trials);

}  // namespace bb
