// Random fork trees against their serial evaluation: the same value, or the same exception (the
// first in serial order), however the work was shared. BB_SEED repeats a run, BB_STRESS_SECONDS
// makes it longer.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "runtimes/heartbeat/heartbeat.hpp"

using heartbeat::context;
using heartbeat::fork_join;

namespace {

std::uint64_t mixed(std::uint64_t x) {  // splitmix64, S. Vigna
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct failure {
  std::uint64_t node;
  bool operator==(const failure&) const = default;
};

struct shape {
  unsigned failures_per_million;
  unsigned naps_per_million;
  bool nested;
};

// The two ways to evaluate. A fork that is not one, and a real one.
struct serial {
  template <class L, class R, class C>
  auto fork(L left, R right, C combine) {
    auto l = left(*this);
    return combine(std::move(l), right(*this));
  }
  template <class F>
  auto nested(F f) {
    return f(*this);
  }
};

struct parallel {
  context c;
  heartbeat::pool& pool;

  template <class L, class R, class C>
  auto fork(L left, R right, C combine) {
    return fork_join(
        c,
        [&](context c) {
          return left(parallel{c, pool});
        },
        [&](context c) {
          return right(parallel{c, pool});
        },
        combine);
  }
  template <class F>
  auto nested(F f) {
    return pool.run([&](context c) { return f(parallel{c, pool}); });
  }
};

// A subtree's value depends on its id alone. Every kind of fork takes a different kind of result
// through it.
struct tree {
  shape s;

  template <class How>
  std::uint64_t value(How how, std::uint64_t id, unsigned depth) const {
    const std::uint64_t dice = mixed(id);
    if (dice % 1'000'000 < s.failures_per_million) throw failure{id};
    if (dice % 1'000'000 >= 1'000'000 - s.naps_per_million)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (depth == 0 || (dice >> 20) % 16 == 0) return leaf(dice);
    const auto child = [this, id, depth](unsigned side) {
      return [this, id, depth, side](How h) {
        return value(h, mixed(2 * id + side), depth - 1 - (id + side) % 2 * (depth > 1));
      };
    };
    switch ((dice >> 24) % 5) {
      case 0:
        if (s.nested && (dice >> 40) % 64 == 0) return how.nested(child(0));
        [[fallthrough]];
      case 1:
        return how.fork(child(0), child(1),
                        [id](std::uint64_t l, std::uint64_t r) { return mixed(l) + 3 * r + id; });
      case 2:
        return how.fork([&](How h) { return std::make_unique<std::uint64_t>(child(0)(h)); },
                        [&](How h) { return std::make_unique<std::uint64_t>(child(1)(h)); },
                        [](auto l, auto r) { return *l ^ mixed(*r); });
      case 3:
        return how.fork([&](How h) { return std::array<std::uint64_t, 20>{child(0)(h)}; },
                        [&](How h) {
                          return std::array<std::uint64_t, 20>{0, child(1)(h)};
                        },
                        [](const auto& l, const auto& r) { return l[0] - 5 * r[1]; });
      default:
        return how.fork([&](How h) { return std::to_string(child(0)(h)); },
                        [&](How h) { return std::to_string(child(1)(h)); },
                        [](const std::string& l, const std::string& r) {
                          return mixed(l.size()) + std::stoull(r);
                        });
    }
  }

  static std::uint64_t leaf(std::uint64_t dice) {
    for (unsigned i = 0; i < dice % 64; ++i) dice = mixed(dice);
    return dice;
  }
};

using outcome = std::variant<std::uint64_t, failure>;

template <class Evaluate>
outcome outcome_of(Evaluate evaluate) {
  try {
    return evaluate();
  } catch (const failure& f) {
    return f;
  }
}

class heartbeat_forks : public testing::TestWithParam<shape> {
 protected:
  heartbeat_forks() {
    std::printf("seed %llu (repeat with BB_SEED)\n", static_cast<unsigned long long>(seed));
  }

  void round(heartbeat::pool& pool, std::uint64_t id, unsigned depth) {
    const tree t{GetParam()};
    const outcome expected = outcome_of([&] { return t.value(serial{}, id, depth); });
    const outcome got = outcome_of([&] {
      return pool.run([&](context c) { return t.value(parallel{c, pool}, id, depth); });
    });
    ASSERT_TRUE(got == expected) << "tree " << id << ", depth " << depth;
  }

  // As many rounds as fit into the time, each with another tree.
  void rounds(heartbeat::pool& pool, std::uint64_t salt) {
    for (std::uint64_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
      round(pool, mixed(seed + salt + i), 6 + i % 12);
      if (HasFatalFailure()) return;
    }
  }

  const std::uint64_t seed = from_environment("BB_SEED", std::random_device{}());
  const std::chrono::steady_clock::time_point end =
      std::chrono::steady_clock::now() +
      std::chrono::milliseconds(from_environment("BB_STRESS_SECONDS", 1) * 1000);
};

TEST_P(heartbeat_forks, beat_at_every_fork) {
  heartbeat::pool pool{{.workers = 3, .beat_always = true}};
  rounds(pool, 1);
}

TEST_P(heartbeat_forks, fast_beats_and_many_workers) {
  heartbeat::pool pool{{.workers = 6, .beat_interval_ns = 1000}};
  rounds(pool, 2);
}

TEST_P(heartbeat_forks, default_beats) {
  heartbeat::pool pool{{.workers = 2}};
  rounds(pool, 3);
}

TEST_P(heartbeat_forks, several_callers) {
  heartbeat::pool pool{{.workers = 2, .beat_interval_ns = 5000, .beat_always = seed % 2 == 0}};
  std::vector<std::thread> callers;
  for (std::uint64_t t = 0; t < 3; ++t) {
    callers.emplace_back([&, t] { rounds(pool, 1000 * t); });
  }
  for (std::thread& t : callers) t.join();
}

TEST_P(heartbeat_forks, a_new_pool_each_round) {
  for (std::uint64_t i = 0; std::chrono::steady_clock::now() < end && !HasFatalFailure(); ++i) {
    heartbeat::pool pool{{.workers = 1 + static_cast<unsigned>(i % 5), .beat_always = i % 2 == 0}};
    round(pool, mixed(seed + i), 8);
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, heartbeat_forks,
                         testing::Values(shape{0, 0, false}, shape{500, 100, false},
                                         shape{50, 1000, true}));

}  // namespace
