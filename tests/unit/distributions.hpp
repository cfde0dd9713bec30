#pragma once
// Seeded samples for simulations: shapes that timings take. All have median 0 (or 1 for `timing`).

#include <cmath>
#include <numbers>
#include <vector>

#include "harness/random.hpp"

namespace bb::testing_tools {

inline double normal(random_source& random) {
  const double u = 1 - random.unit(), v = random.unit();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// Skewed to the right, as a time with rare interruptions.
inline double skewed(random_source& random) { return std::exp(normal(random)) - 1; }

/// Mean and variance do not exist.
inline double cauchy(random_source& random) {
  return std::tan(std::numbers::pi * (random.unit() - 0.5));
}

/// Two machines in one: a mixture of two far peaks.
inline double bimodal(random_source& random) {
  return (random.unit() < 0.5 ? -5 : 5) + normal(random);
}

/// Coarse clock: few distinct values, many ties, as likely above as below 0.
inline double stepped(random_source& random) { return std::round(normal(random) * 1.5); }

struct noise {
  const char* name;
  double (*draw)(random_source&);
};

inline constexpr noise noises[] = {{"normal", normal},
                                   {"skewed", skewed},
                                   {"cauchy", cauchy},
                                   {"bimodal", bimodal},
                                   {"stepped", stepped}};

}  // namespace bb::testing_tools
