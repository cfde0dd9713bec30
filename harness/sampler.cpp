#include "harness/sampler.hpp"

#include <algorithm>

#include "harness/clock.hpp"

namespace bb {
namespace {
constexpr unsigned samples_wanted = 30;  // more, shorter batches would only make files larger
}

sampler::sampler(cell_body& body, entry how, const trial_settings& settings)
    : body_(body), how_(how), settings_(settings) {
  const unsigned wanted = settings.samples != 0 ? settings.samples : samples_wanted;
  target_ns_ = std::max(settings.min_batch_ns, settings.time_ns / wanted);
}

std::uint64_t sampler::timed(std::uint64_t runs) {
  const std::uint64_t start = now_ns();
  const tally done = body_.batch(runs, how_);
  const std::uint64_t elapsed = now_ns() - start;
  out_.wrong += done.wrong;
  return elapsed;
}

bool sampler::check() {
  out_.first_run_ns = timed(1);
  out_.warmup_ns = out_.first_run_ns;
  out_.warmups.push_back({1, out_.first_run_ns});
  return out_.wrong == 0;
}

void sampler::warm_up() {
  std::uint64_t runs = 1, last_ns = out_.first_run_ns;
  while (out_.warmup_ns < settings_.warmup_ns || last_ns < target_ns_) {
    // At most twofold a step: the cold first runs say little about the warm ones.
    if (last_ns < target_ns_) runs *= 2;
    last_ns = timed(runs);
    out_.warmup_ns += last_ns;
    out_.warmups.push_back({runs, last_ns});
    if (runs >= (std::uint64_t{1} << 40)) break;
  }
  const double fit =
      static_cast<double>(target_ns_) / static_cast<double>(std::max<std::uint64_t>(last_ns, 1));
  out_.runs_per_batch = std::max<std::uint64_t>(
      1, fit < 1 ? static_cast<std::uint64_t>(static_cast<double>(runs) * fit + 0.5) : runs);
}

bool sampler::enough(std::uint64_t elapsed_ns) const {
  if (out_.batch_ns.empty()) return false;
  if (settings_.samples != 0) return out_.batch_ns.size() >= settings_.samples;
  return elapsed_ns >= settings_.time_ns;
}

void sampler::sample() {
  const std::uint64_t start = now_ns();
  while (!enough(now_ns() - start)) {
    out_.batch_ns.push_back(timed(out_.runs_per_batch));
    out_.runs += out_.runs_per_batch;
  }
}

}  // namespace bb
