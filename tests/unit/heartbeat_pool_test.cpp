// Pools: who runs where, nesting, several at once, the end, and what an idle one costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtimes/heartbeat/heartbeat.hpp"

using heartbeat::context;
using heartbeat::fork_join;
using namespace std::chrono_literals;

namespace {

std::uint64_t fib(context c, unsigned n) {
  if (n < 2) return n;
  return fork_join(
      c, [n](context c) { return fib(c, n - 1); }, [n](context c) { return fib(c, n - 2); },
      [](std::uint64_t l, std::uint64_t r) { return l + r; });
}

#if defined(__SANITIZE_THREAD__)
constexpr bool under_tsan = true;
#elif defined(__has_feature)
constexpr bool under_tsan = __has_feature(thread_sanitizer);
#else
constexpr bool under_tsan = false;
#endif

std::int64_t cpu_ns(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

// Forks until `depth`, then works 20 us per leaf and notes the thread.
void spread(context c, unsigned depth, std::mutex& m, std::set<std::thread::id>& seen) {
  if (depth > 0) {
    return fork_join(
        c, [&, depth](context c) { spread(c, depth - 1, m, seen); },
        [&, depth](context c) { spread(c, depth - 1, m, seen); });
  }
  const auto end = std::chrono::steady_clock::now() + 20us;
  while (std::chrono::steady_clock::now() < end) c.tick();
  const std::lock_guard lock(m);
  seen.insert(std::this_thread::get_id());
}

TEST(heartbeat_pool, runs_in_the_calling_thread) {
  heartbeat::pool pool{{.workers = 3}};
  EXPECT_EQ(pool.workers(), 3U);
  EXPECT_EQ(pool.run([](context) { return std::this_thread::get_id(); }),
            std::this_thread::get_id());
}

TEST(heartbeat_pool, returns_references_and_void) {
  heartbeat::pool pool{{.workers = 1}};
  int x = 1;
  int& y = pool.run([&](context) -> int& { return x; });
  EXPECT_EQ(&y, &x);
  static_assert(std::is_void_v<decltype(pool.run([](context) {}))>);
}

TEST(heartbeat_pool, default_workers_are_the_usable_cpus) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(heartbeat::pool{}.workers(), static_cast<unsigned>(CPU_COUNT(&before)));
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(heartbeat::pool{}.workers(), 1U);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(heartbeat_pool, work_reaches_every_worker) {
  heartbeat::pool pool{{.workers = 3}};
  std::mutex m;
  std::set<std::thread::id> seen;
  for (int tries = 0; tries < 100 && seen.size() < 3; ++tries) {
    pool.run([&](context c) { spread(c, 10, m, seen); });
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST(heartbeat_pool, more_workers_than_cpus) {
  heartbeat::pool pool{{.workers = 64}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.run([](context c) { return fib(c, 25); }), 75025U);
}

TEST(heartbeat_pool, one_worker_alone) {
  heartbeat::pool pool{{.workers = 1}};
  EXPECT_EQ(pool.run([](context c) { return fib(c, 25); }), 75025U);
}

TEST(heartbeat_pool, start_handler_sees_every_number_once_and_before_the_constructor_returns) {
  std::mutex m;
  std::multiset<unsigned> numbers;
  std::set<std::thread::id> threads;
  heartbeat::pool pool{{.workers = 5, .on_worker_start = [&](unsigned n) {
                          const std::lock_guard lock(m);
                          numbers.insert(n);
                          threads.insert(std::this_thread::get_id());
                        }}};
  EXPECT_EQ(numbers, (std::multiset<unsigned>{1, 2, 3, 4}));
  EXPECT_EQ(threads.size(), 4U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(heartbeat_pool, start_handler_that_throws) {
  const auto make = [] {
    heartbeat::pool{{.workers = 4, .on_worker_start = [](unsigned n) {
                       if (n == 2) throw std::runtime_error("cannot pin");
                     }}};
  };
  EXPECT_THROW(make(), std::runtime_error);
}

TEST(heartbeat_pool, bad_options_are_refused) {
  EXPECT_THROW(heartbeat::pool({.beat_interval_ns = 0}), std::invalid_argument);
  EXPECT_THROW(heartbeat::pool({.beat_interval_ns = 2'000'000'000}), std::invalid_argument);
}

std::string refusal(unsigned workers) {
  try {
    heartbeat::pool pool{{.workers = workers}};
  } catch (const std::system_error& e) {
    return e.what();
  }
  return "none";
}

TEST(heartbeat_pool, too_little_address_space_is_an_error_with_the_remedy) {
  EXPECT_THAT(refusal(1'000'000'000), testing::HasSubstr("cannot reserve 1000000000 MiB"));
}

TEST(heartbeat_pool, threads_that_cannot_start_are_an_error_and_leave_nothing) {
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THAT(refusal(4), testing::HasSubstr("use fewer workers or raise the limit"));
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_EQ(heartbeat::pool({.workers = 2}).run([](context c) { return fib(c, 15); }), 610U);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&usual);
}

TEST(heartbeat_pool, nested_run) {
  heartbeat::pool pool{{.workers = 2}};
  const auto sum = pool.run([&](context c) {
    return fork_join(
        c, [&](context) { return pool.run([](context c) { return fib(c, 20); }); },
        [&](context) {
          return pool.run([&](context) { return pool.run([](context c) { return fib(c, 20); }); });
        },
        std::plus<>());
  });
  EXPECT_EQ(sum, 2U * 6765U);
}

TEST(heartbeat_pool, nested_run_under_promotion) {
  heartbeat::pool pool{{.workers = 3, .beat_always = true}};
  for (int i = 0; i < 50; ++i) {
    const auto sum = pool.run([&](context c) {
      return fork_join(
          c, [&](context) { return pool.run([](context c) { return fib(c, 12); }); },
          [&](context) { return pool.run([](context c) { return fib(c, 12); }); }, std::plus<>());
    });
    ASSERT_EQ(sum, 2U * 144U);
  }
}

TEST(heartbeat_pool, several_pools_one_inside_the_other) {
  heartbeat::pool a{{.workers = 2}}, b{{.workers = 2}};
  const auto sum = a.run([&](context c) {
    return fork_join(
        c, [&](context c) { return fib(c, 20); },
        [&](context) { return b.run([](context c) { return fib(c, 20); }); }, std::plus<>());
  });
  EXPECT_EQ(sum, 2U * 6765U);
}

TEST(heartbeat_pool, runs_from_several_threads_at_once) {
  heartbeat::pool pool{{.workers = 2}};
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) right += pool.run([](context c) { return fib(c, 15); }) == 610;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 4 * 200);
}

TEST(heartbeat_pool, a_pool_at_the_address_of_a_dead_one) {
  for (int i = 0; i < 50; ++i) {
    heartbeat::pool pool{{.workers = 1 + i % 3U}};
    EXPECT_EQ(pool.run([](context c) { return fib(c, 10); }), 55U);
  }
}

TEST(heartbeat_pool, ends_with_sleeping_workers) {
  for (int i = 0; i < 20; ++i) {
    heartbeat::pool pool{{.workers = 8}};
    if (i % 2 == 0) std::this_thread::sleep_for(2ms);
  }
}

TEST(heartbeat_pool, ends_right_after_a_run) {
  for (int i = 0; i < 100; ++i) {
    heartbeat::pool pool{{.workers = 4, .beat_always = i % 2 == 0}};
    EXPECT_EQ(pool.run([](context c) { return fib(c, 12); }), 144U);
  }
}

// Chili's beat thread burnt a fifth of a CPU in an idle process.
TEST(heartbeat_pool, idle_costs_no_cpu) {
  // TSan has a thread of its own that is never idle, so there only the pool's threads are counted.
  std::mutex m;
  std::vector<clockid_t> clocks;
  heartbeat::pool pool{{.workers = 8, .on_worker_start = [&](unsigned) {
                          const std::lock_guard lock(m);
                          pthread_getcpuclockid(pthread_self(), &clocks.emplace_back());
                        }}};
  if (!under_tsan) clocks = {CLOCK_PROCESS_CPUTIME_ID};
  const auto used_ns = [&] {
    return std::accumulate(clocks.begin(), clocks.end(), std::int64_t{0},
                           [](std::int64_t sum, clockid_t c) { return sum + cpu_ns(c); });
  };
  EXPECT_EQ(pool.run([](context c) { return fib(c, 25); }), 75025U);
  std::this_thread::sleep_for(100ms);
  const std::int64_t before_ns = used_ns();
  std::this_thread::sleep_for(2s);
  EXPECT_LT(used_ns() - before_ns, 1'000'000);
}

TEST(heartbeat_pool, first_run_after_idle_is_shared_again) {
  heartbeat::pool pool{{.workers = 2}};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(100ms);
    std::mutex m;
    std::set<std::thread::id> seen;
    for (int tries = 0; tries < 100 && seen.size() < 2; ++tries) {
      pool.run([&](context c) { spread(c, 9, m, seen); });
    }
    EXPECT_EQ(seen.size(), 2U);
  }
}

// A leaf that blocks keeps its own thread only.
TEST(heartbeat_pool, blocking_leaf_does_not_stop_others) {
  heartbeat::pool pool{{.workers = 3, .beat_always = true}};
  std::atomic<bool> release{false};
  pool.run([&](context c) {
    fork_join(
        c,
        [&](context) {
          while (!release) std::this_thread::sleep_for(1ms);
        },
        [&](context c) {
          EXPECT_EQ(fib(c, 15), 610U);
          release = true;
        });
  });
}

// Two long leaves and nothing else: only tick() can share the second.
TEST(heartbeat_pool, tick_shares_what_is_forked_already) {
  heartbeat::pool pool{{.workers = 2}};
  std::atomic<bool> right{false};
  pool.run([&](context c) {
    fork_join(
        c,
        [&](context c) {
          while (!right) c.tick();
        },
        [&](context) { right = true; });
  });
}

// Left-leaning chain: far more open forks than a worker has entries for.
std::uint64_t chain(context c, std::uint64_t depth) {
  if (depth == 0) return 0;
  return fork_join(
      c, [depth](context c) { return chain(c, depth - 1); },
      [](context) { return std::uint64_t{1}; }, std::plus<>());
}

class heartbeat_depth : public testing::TestWithParam<bool> {};

TEST_P(heartbeat_depth, deeper_than_the_entries_runs_on) {
  heartbeat::pool pool{{.workers = 1, .beat_always = GetParam()}};
  // TSan's own call stack ends at 64 Ki calls.
  const std::uint64_t depth =
      under_tsan ? 10'000 : 3 * heartbeat::detail::region_size / sizeof(heartbeat::detail::entry);
  std::uint64_t sum = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 30);
  auto body = [&] { sum = pool.run([&](context c) { return chain(c, depth); }); };
  pthread_t thread;
  ASSERT_EQ(
      pthread_create(
          &thread, &attributes,
          [](void* f) -> void* { return (*static_cast<decltype(body)*>(f))(), nullptr; }, &body),
      0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(sum, depth);
}

INSTANTIATE_TEST_SUITE_P(beats, heartbeat_depth, testing::Bool());

}  // namespace
