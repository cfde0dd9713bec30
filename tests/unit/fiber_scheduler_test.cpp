#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

namespace {

TEST(FiberScheduler, RunsAFunctionAndReturnsItsValue) {
  fiber::scheduler pool(with_workers(1));
  EXPECT_EQ(pool.run([] { return 42; }), 42);
  EXPECT_EQ(pool.run([] { return std::string("text"); }), "text");
  bool ran = false;
  pool.run([&] { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(FiberScheduler, RethrowsWhatLeavesTheFiber) {
  fiber::scheduler pool(with_workers(1));
  EXPECT_THROW(pool.run([] { throw std::out_of_range("x"); }), std::out_of_range);
  EXPECT_THROW(pool.run([]() -> int { throw std::logic_error("x"); }), std::logic_error);
}

TEST(FiberScheduler, YieldsInOrder) {
  fiber::scheduler pool(with_workers(1));
  std::string order;
  pool.run([&] {
    const auto append = [&](char letter) {
      for (int i = 0; i < 3; ++i) order += letter, fiber::yield();
    };
    auto a = fiber::spawn([&] { append('a'); });
    auto b = fiber::spawn([&] { append('b'); });
    auto c = fiber::spawn([&] { append('c'); });
  });
  EXPECT_EQ(order, "abcabcabc");
}

TEST(FiberScheduler, YieldInAPlainThreadIsHarmless) {
  fiber::yield();
  EXPECT_FALSE(fiber::in_fiber());
}

// Silk's limit is 64 bytes.
TEST(FiberScheduler, TakesParametersOfAnySize) {
  fiber::scheduler pool(with_workers(1));
  std::array<int, 4000> large;
  std::iota(large.begin(), large.end(), 0);
  EXPECT_EQ(pool.run([large] { return std::accumulate(large.begin(), large.end(), 0); }),
            4000 * 3999 / 2);
  struct alignas(256) aligned {
    char bytes[256];
    bool well_placed() const { return reinterpret_cast<std::uintptr_t>(this) % 256 == 0; }
  };
  EXPECT_TRUE(pool.run([object = aligned{}] { return object.well_placed(); }));
}

TEST(FiberScheduler, RefusesAFunctionThatFillsTheStack) {
  fiber::scheduler pool(with_workers(1));
  struct huge {
    char bytes[40'000];
  };
  try {
    pool.run([object = huge{}] { return object.bytes[0]; });
    FAIL() << "expected fiber::error";
  } catch (const fiber::error& failure) {
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("options.stack_bytes"));
  }
}

TEST(FiberScheduler, DestroysTheFunctionBeforeTheResultIsSeen) {
  fiber::scheduler pool(with_workers(2));
  for (int i = 0; i < 100; ++i) {
    auto counted = std::make_shared<int>(0);
    pool.run([counted] { return *counted; });
    ASSERT_EQ(counted.use_count(), 1);
  }
}

TEST(FiberScheduler, DestructorWaitsForDetachedFibers) {
  std::atomic<int> ended = 0;
  {
    fiber::scheduler pool(with_workers(2));
    for (int i = 0; i < 50; ++i) {
      pool.launch([&] {
        fiber::sleep_for(2'000'000);
        fiber::spawn([&] { ++ended; }).get();
        ++ended;
      });
    }
  }
  EXPECT_EQ(ended, 100);
}

TEST(FiberScheduler, SeveralInOneProcessTalkToEachOther) {
  fiber::scheduler first(with_workers(1));
  fiber::scheduler second(with_workers(1));
  const int answer = first.run([&] {
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += second.run([i] { return i; });
    return sum;
  });
  EXPECT_EQ(answer, 4950);
}

TEST(FiberScheduler, LaunchOnKeepsAFiberWhereItIs) {
  fiber::scheduler pool(with_workers(3));
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    fiber::future<bool> stayed;
    pool.launch_on(worker, [&, worker] {
      bool same = true;
      for (int i = 0; i < 100; ++i) {
        same = same && fiber::this_worker_index() == worker;
        i % 2 == 0 ? fiber::yield() : fiber::sleep_for(1000);
      }
      stayed.set(same);
    });
    EXPECT_TRUE(stayed.get());
  }
  EXPECT_THROW(pool.launch_on(3, [] {}), fiber::error);
}

TEST(FiberScheduler, MovesWhereItIsTold) {
  fiber::options options = with_workers(4);
  options.stealing = false;
  fiber::scheduler pool(options);
  pool.run([] {
    for (std::uint32_t i = 0; i < 400; ++i) {
      fiber::move_to_worker(i % 4);
      ASSERT_EQ(fiber::this_worker_index(), i % 4);
    }
  });
}

TEST(FiberScheduler, SleepsAtLeastAsLongAsAsked) {
  fiber::scheduler pool(with_workers(1));
  pool.run([] {
    for (std::int64_t duration : {0l, 1'000l, 100'000l, 3'000'000l}) {
      const std::int64_t begin = fiber::now_ns();
      fiber::sleep_for(duration);
      EXPECT_GE(fiber::now_ns() - begin, duration);
    }
  });
}

TEST(FiberScheduler, WakesSleepersInOrder) {
  fiber::scheduler pool(with_workers(1));
  std::string order;
  pool.run([&] {
    const std::int64_t begin = fiber::now_ns();
    auto late = fiber::spawn([&] { fiber::sleep_until(begin + 6'000'000), order += 'c'; });
    auto soon = fiber::spawn([&] { fiber::sleep_until(begin + 2'000'000), order += 'a'; });
    auto then = fiber::spawn([&] { fiber::sleep_until(begin + 4'000'000), order += 'b'; });
  });
  EXPECT_EQ(order, "abc");
}

// A fiber that only yields must not keep deadlines, messages or I/O from being served.
TEST(FiberScheduler, YieldingFibersDoNotStarveTheRest) {
  std::atomic<bool> stop = false;
  std::atomic<bool> slept = false;
  std::atomic<bool> posted = false;
  fiber::scheduler pool(with_workers(1));
  for (int i = 0; i < 2; ++i) {
    pool.launch([&] {
      while (!stop) fiber::yield();
    });
  }
  pool.launch([&] { fiber::sleep_for(1'000'000), slept = true; });
  pool.launch([&] { posted = true; });
  const std::int64_t give_up = fiber::deadline_in(5'000'000'000);
  while (!(slept && posted) && fiber::now_ns() < give_up) std::this_thread::yield();
  stop = true;
  EXPECT_TRUE(slept);
  EXPECT_TRUE(posted);
}

// The service comes by time, not only by count: with 1 ms of computation between yields and a fixed batch of 256, a
// deadline would be served a quarter of a second late.
TEST(FiberScheduler, ServiceComesSoonerWhenFibersComputeLong) {
  fiber::scheduler pool(with_workers(1));
  const std::int64_t took = pool.run([] {
    bool stop = false;
    const auto compute = [&] {
      while (!stop) spin_for(1'000'000), fiber::yield();
    };
    auto a = fiber::spawn(compute);
    auto b = fiber::spawn(compute);
    fiber::sleep_for(30'000'000);  // lets the batch adapt
    const std::int64_t begin = fiber::now_ns();
    fiber::sleep_for(1'000'000);
    stop = true;
    return fiber::now_ns() - begin;
  });
  EXPECT_LT(took, 100'000'000);
}

TEST(FiberScheduler, OthersStealSurplus) {
  std::set<std::thread::id> threads;
  std::mutex guard;
  fiber::scheduler pool(with_workers(2));
  pool.run([&] {
    std::vector<std::unique_ptr<fiber::event>> done;
    for (int i = 0; i < 20; ++i) {
      auto* end = done.emplace_back(std::make_unique<fiber::event>()).get();
      pool.launch([&, end] {
        {
          const std::lock_guard hold(guard);
          threads.insert(std::this_thread::get_id());
        }
        spin_for(5'000'000);
        end->set();
      });
    }
    for (auto& each : done) each->wait();
  });
  EXPECT_EQ(threads.size(), 2u);
  EXPECT_GT(pool.totals().steals, 0u);
}

TEST(FiberScheduler, NobodyStealsWhenToldNot) {
  fiber::options options = with_workers(2);
  options.stealing = false;
  fiber::scheduler pool(options);
  pool.run([&] {
    const std::uint32_t here = fiber::this_worker_index();
    for (int i = 0; i < 20; ++i) {
      fiber::spawn([here] { EXPECT_EQ(fiber::this_worker_index(), here); }).get();
    }
  });
  EXPECT_EQ(pool.totals().steals, 0u);
}

// A single fiber left behind one that computes for long is found by the watcher, without any help of the owner.
TEST(FiberScheduler, AFiberBehindALongComputationIsStolen) {
  fiber::scheduler pool(with_workers(2));
  std::atomic<bool> ran = false;
  pool.run([&] {
    fiber::sleep_for(20'000'000);  // the other worker goes to sleep
    auto child = fiber::spawn([&] { ran = true; });
    const std::int64_t give_up = fiber::deadline_in(5'000'000'000);
    while (!ran && fiber::now_ns() < give_up) std::this_thread::yield();
    EXPECT_TRUE(ran);
  });
}

TEST(FiberScheduler, CountsWhatItDoes) {
  fiber::scheduler pool(with_workers(1));
  pool.run([] {
    auto other = fiber::spawn([] {
      for (int i = 0; i < 100'000; ++i) fiber::yield();
    });
    for (int i = 0; i < 100'000; ++i) fiber::yield();
  });
  const fiber::counters totals = pool.totals();
  EXPECT_EQ(totals.started, 2u);
  EXPECT_GE(totals.yields, 199'000u);
  EXPECT_LE(totals.yields, 200'010u);
  EXPECT_GE(totals.services, 200'000u / 257);
}

TEST(FiberScheduler, IdleUsesNoCpu) {
  fiber::scheduler pool(with_workers(2));
  pool.run([] {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto parks = pool.totals().parks;
  timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  EXPECT_LE(pool.totals().parks, parks + 1);
  EXPECT_LT((after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec), 5e6);
}

TEST(FiberScheduler, WorkersArePinned) {
  const auto cpus = fiber::allowed_cpus();
  fiber::scheduler pool;
  ASSERT_EQ(pool.workers(), cpus.size());
  for (std::uint32_t i = 0; i < pool.workers(); ++i) {
    fiber::future<int> cpu;
    pool.launch_on(i, [&] {
      cpu_set_t set;
      sched_getaffinity(0, sizeof set, &set);
      cpu.set(CPU_COUNT(&set) == 1 ? sched_getcpu() : -1);
    });
    EXPECT_EQ(cpu.get(), cpus[i]);
  }
}

TEST(FiberScheduler, SaysWhatIsWrongWithItsOptions) {
  const auto complaint = [](auto change) -> std::string {
    fiber::options options;
    change(options);
    try {
      fiber::scheduler pool(options);
    } catch (const fiber::error& failure) {
      return failure.what();
    }
    return "none";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(complaint([](auto& o) { o.cpus = {9999}; }),
              HasSubstr("pin a worker to processor 9999"));
  EXPECT_THAT(complaint([](auto& o) { o.cpus = {-3}; }), HasSubstr("processor -3"));
  EXPECT_THAT(complaint([](auto& o) { o.stack_bytes = 100; }),
              HasSubstr("options.stack_bytes is 100"));
  EXPECT_THAT(complaint([](auto& o) { o.max_fibers = 0; }), HasSubstr("options.max_fibers is 0"));
  EXPECT_THAT(complaint([](auto& o) { o.stack_color = 7; }), HasSubstr("multiple of 16"));
  EXPECT_THAT(complaint([](auto& o) { o.service_batch = 0; }), HasSubstr("service_batch"));
  EXPECT_THAT(complaint([](auto& o) { o.places.resize(77); }), HasSubstr("options.places has 77"));
}

TEST(FiberScheduler, SaysWhenAllFibersAreInUse) {
  fiber::options options = with_workers(1);
  options.max_fibers = 4;
  fiber::scheduler pool(options);
  pool.run([&] {
    fiber::event go;
    int launched = 0;
    try {
      for (; launched < 10; ++launched) pool.launch([&] { go.wait(); });
    } catch (const fiber::error& failure) {
      EXPECT_STREQ(failure.what(), "all 4 fibers are in use; raise options.max_fibers");
    }
    EXPECT_EQ(launched, 3);
    go.set();
    for (int i = 0; i < 10; ++i) fiber::yield();
    fiber::spawn([] {}).get();  // works again
  });
}

}  // namespace
