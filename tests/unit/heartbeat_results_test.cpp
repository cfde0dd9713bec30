// Results of every kind survive all ways through a join: local, promoted and taken back, stolen.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "runtimes/heartbeat/heartbeat.hpp"

using heartbeat::context;
using heartbeat::fork_join;

namespace {

enum class way { local, taken_back, stolen };

// Forces the right branch of one fork through the given way.
class heartbeat_results : public testing::TestWithParam<way> {
 protected:
  heartbeat_results()
      : pool({.workers = GetParam() == way::stolen ? 2U : 1U,
              .beat_always = GetParam() != way::local}) {}

  // Left branch that, if stealing is wanted, lets nobody go on before the right one has begun.
  void await() const {
    if (GetParam() != way::stolen) return;
    while (!begun) std::this_thread::yield();
  }
  void begin() {
    begun = true;
    right_thread = std::this_thread::get_id();
  }
  void expect_way() const {
    EXPECT_EQ(right_thread == std::this_thread::get_id(), GetParam() != way::stolen);
  }

  heartbeat::pool pool;
  std::atomic<bool> begun{false};
  std::thread::id right_thread;
};

struct no_default {
  explicit no_default(int v) : value(v) {}
  no_default(no_default&&) = default;
  int value;
};

struct big {
  std::array<int, 1000> values;
};

struct alignas(256) wide {
  int value;
};

TEST_P(heartbeat_results, integers) {
  const int sum = pool.run([&](context c) {
    return fork_join(
        c, [&](context) { return await(), 1; }, [&](context) { return begin(), 2; },
        [](int l, int r) { return 10 * l + r; });
  });
  EXPECT_EQ(sum, 12);
  expect_way();
}

TEST_P(heartbeat_results, pair_of_different_types) {
  const auto [l, r] = pool.run([&](context c) {
    return fork_join(
        c, [&](context) { return await(), std::string("left"); },
        [&](context) { return begin(), 2.5; });
  });
  EXPECT_EQ(l, "left");
  EXPECT_EQ(r, 2.5);
  expect_way();
}

TEST_P(heartbeat_results, void_is_left_out_of_combine_and_monostate_in_a_pair) {
  int effects = 0;
  pool.run([&](context c) {
    const int left_only = fork_join(
        c, [&](context) { return await(), 7; }, [&](context) { begin(); }, [](int l) { return l; });
    EXPECT_EQ(left_only, 7);
    const int right_only = fork_join(
        c, [&](context) { ++effects; }, [](context) { return 8; }, [](int r) { return r; });
    EXPECT_EQ(right_only, 8);
    std::atomic<int> ran{0};
    static_assert(std::is_void_v<decltype(fork_join(
                      c, [](context) {}, [](context) {}))>);
    fork_join(
        c, [&](context) { ++ran; }, [&](context) { ++ran; });
    EXPECT_EQ(ran, 2);
    const std::pair<std::monostate, int> p = fork_join(
        c, [](context) {}, [](context) { return 9; });
    EXPECT_EQ(p.second, 9);
    const std::pair<int, std::monostate> q = fork_join(
        c, [](context) { return 9; }, [](context) {});
    EXPECT_EQ(q.first, 9);
  });
  EXPECT_EQ(effects, 1);
  expect_way();
}

TEST_P(heartbeat_results, move_only) {
  const auto sum = pool.run([&](context c) {
    return fork_join(
        c, [&](context) { return await(), std::make_unique<int>(1); },
        [&](context) { return begin(), std::make_unique<int>(2); },
        [](std::unique_ptr<int> l, std::unique_ptr<int> r) {
          return std::make_unique<int>(*l + *r);
        });
  });
  EXPECT_EQ(*sum, 3);
  expect_way();
}

TEST_P(heartbeat_results, not_default_constructible) {
  const auto [l, r] = pool.run([&](context c) {
    return fork_join(
        c, [&](context) { return await(), no_default(1); },
        [&](context) { return begin(), no_default(2); });
  });
  EXPECT_EQ(l.value + r.value, 3);
  expect_way();
}

TEST_P(heartbeat_results, larger_than_the_room_in_a_job) {
  const auto [l, r] = pool.run([&](context c) {
    return fork_join(
        c, [&](context) { return await(), big{{1}}; },
        [&](context) {
          return begin(), big{{2, 3}};
        });
  });
  EXPECT_EQ(l.values[0], 1);
  EXPECT_EQ(r.values[1], 3);
  expect_way();
}

TEST_P(heartbeat_results, over_aligned) {
  pool.run([&](context c) {
    fork_join(
        c, [&](context) { return await(), wide{1}; }, [&](context) { return begin(), wide{2}; },
        [](wide&& l, wide&& r) {
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&l) % 256, 0U);
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&r) % 256, 0U);
          EXPECT_EQ(l.value + r.value, 3);
        });
  });
  expect_way();
}

TEST_P(heartbeat_results, references) {
  int x = 1, y = 2;
  pool.run([&](context c) {
    fork_join(
        c, [&](context) -> int& { return await(), x; }, [&](context) -> int& { return begin(), y; },
        [](int& l, int& r) { std::swap(l, r); });
  });
  EXPECT_EQ(x, 2);
  EXPECT_EQ(y, 1);
  expect_way();
}

TEST_P(heartbeat_results, captures_by_value_of_every_size) {
  const int sum = pool.run([&](context c) {
    std::uint8_t small = 1;
    std::uint64_t word = 2;
    std::array<std::uint64_t, 5> large{3, 4, 5, 6, 7};
    const int a = fork_join(
        c, [&](context) { return await(), 0; },
        [this, small](context) { return begin(), int{small}; }, [](int, int r) { return r; });
    const int b = fork_join(
        c, [](context) { return 0; }, [word](context) { return int(word); }, std::plus<>());
    const int d = fork_join(
        c, [](context) { return 0; }, [large](context) { return int(large[4]); }, std::plus<>());
    const int e = fork_join(
        c, [](context) { return 0; }, [small](context) { return int{small}; }, std::plus<>());
    return a + b + d + e;
  });
  EXPECT_EQ(sum, 1 + 2 + 7 + 1);
  expect_way();
}

int answer(context) { return 42; }

TEST_P(heartbeat_results, callables_that_are_not_lambdas) {
  struct move_only {
    std::unique_ptr<int> value;
    int operator()(context) && { return *value; }
  };
  pool.run([&](context c) {
    EXPECT_EQ(fork_join(c, answer, answer, std::plus<>()), 84);
    EXPECT_EQ(fork_join(c, &answer, move_only{std::make_unique<int>(8)}, std::plus<>()), 50);
    fork_join(
        c, [&](context) { await(); }, [&](context) { begin(); });
  });
  expect_way();
}

TEST_P(heartbeat_results, combine_runs_in_the_thread_of_the_fork) {
  pool.run([&](context c) {
    fork_join(
        c, [&](context) { await(); }, [&](context) { begin(); },
        [me = std::this_thread::get_id()] { EXPECT_EQ(std::this_thread::get_id(), me); });
  });
  expect_way();
}

INSTANTIATE_TEST_SUITE_P(ways, heartbeat_results,
                         testing::Values(way::local, way::taken_back, way::stolen),
                         [](const auto& info) {
                           return info.param == way::local        ? "local"
                                  : info.param == way::taken_back ? "taken_back"
                                                                  : "stolen";
                         });

}  // namespace
