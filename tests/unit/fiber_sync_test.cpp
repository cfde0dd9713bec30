// Every primitive, between fibers, between threads, and between both.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

namespace {

constexpr std::int64_t ms = 1'000'000;

// Runs `body(i)` for i in 0..count-1: in fibers, in threads, or in both at once.
enum class who { fibers, threads, both };

void run_all(who kind, int count, const std::function<void(int)>& body) {
  fiber::scheduler pool(with_workers(2));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    if (kind == who::threads || (kind == who::both && i % 2 == 0)) {
      threads.emplace_back(body, i);
    } else {
      pool.launch([&body, i] { body(i); });
    }
  }
  for (auto& thread : threads) thread.join();
}

class FiberSync : public ::testing::TestWithParam<who> {};
INSTANTIATE_TEST_SUITE_P(Who, FiberSync, ::testing::Values(who::fibers, who::threads, who::both));

TEST_P(FiberSync, MutexExcludes) {
  fiber::mutex mutex;
  int plain = 0;
  run_all(GetParam(), 8, [&](int) {
    for (int i = 0; i < 500; ++i) {
      const std::lock_guard hold(mutex);
      const int seen = plain;
      if (i % 16 == 0) fiber::yield();
      plain = seen + 1;
    }
  });
  EXPECT_EQ(plain, 4000);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(FiberSync, SharedMutexLetsManyReadOrOneWrite) {
  fiber::shared_mutex mutex;
  std::atomic<int> readers = 0;
  std::atomic<int> writers = 0;
  std::atomic<bool> broken = false;
  int plain = 0;
  run_all(GetParam(), 8, [&](int index) {
    for (int i = 0; i < 200; ++i) {
      if (index % 4 == 0) {
        const std::unique_lock hold(mutex);
        if (++writers != 1 || readers != 0) broken = true;
        ++plain;
        fiber::yield();
        --writers;
      } else {
        const std::shared_lock hold(mutex);
        ++readers;
        if (writers != 0) broken = true;
        fiber::yield();
        --readers;
      }
    }
  });
  EXPECT_FALSE(broken);
  EXPECT_EQ(plain, 400);

  // Both get in only if both may be in at once: each stays until the other is there.
  std::atomic<int> inside = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  run_all(GetParam(), 2, [&](int) {
    const std::shared_lock hold(mutex);
    ++inside;
    while (inside != 2 && std::chrono::steady_clock::now() < deadline) fiber::yield();
  });
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
}

TEST_P(FiberSync, ConditionAndMutexPassATurnRound) {
  fiber::mutex mutex;
  fiber::condition changed;
  int turn = 0;
  std::string order;
  run_all(GetParam(), 4, [&](int index) {
    for (int round = 0; round < 50; ++round) {
      std::unique_lock hold(mutex);
      changed.wait(hold, [&] { return turn % 4 == index; });
      order += static_cast<char>('0' + index);
      ++turn;
      changed.notify_all();
    }
  });
  std::string expected;
  for (int i = 0; i < 50; ++i) expected += "0123";
  EXPECT_EQ(order, expected);
}

TEST_P(FiberSync, SemaphoreBoundsConcurrency) {
  fiber::semaphore permits(3);
  std::atomic<int> inside = 0;
  std::atomic<bool> broken = false;
  run_all(GetParam(), 8, [&](int) {
    for (int i = 0; i < 200; ++i) {
      permits.acquire();
      if (++inside > 3) broken = true;
      fiber::yield();
      --inside;
      permits.release();
    }
  });
  EXPECT_FALSE(broken);
  EXPECT_TRUE(permits.try_acquire());
  EXPECT_TRUE(permits.try_acquire());
  EXPECT_TRUE(permits.try_acquire());
  EXPECT_FALSE(permits.try_acquire());
}

TEST_P(FiberSync, ChannelDeliversEachValueOnce) {
  fiber::channel<int> channel(4);
  std::atomic<int> senders = 4;
  std::atomic<long> sum = 0;
  std::atomic<int> count = 0;
  run_all(GetParam(), 8, [&](int index) {
    if (index < 4) {
      for (int i = 0; i < 500; ++i) EXPECT_TRUE(channel.send(index * 500 + i));
      if (--senders == 0) channel.close();
    } else {
      while (const auto value = channel.receive()) sum += *value, ++count;
    }
  });
  EXPECT_EQ(count, 2000);
  EXPECT_EQ(sum, 1999l * 2000 / 2);
}

TEST_P(FiberSync, SequencerRunsOneAtATimeInOrder) {
  fiber::sequencer sequencer;
  int plain = 0;
  std::vector<int> last(8, -1);
  std::atomic<bool> broken = false;
  run_all(GetParam(), 8, [&](int index) {
    for (int i = 0; i < 300; ++i) {
      sequencer.run([&, i] {
        ++plain;
        if (last[index] != i - 1) broken = true;
        last[index] = i;
      });
    }
  });
  EXPECT_EQ(plain, 2400);
  EXPECT_FALSE(broken);
}

TEST_P(FiberSync, EventWakesAllAndStaysSet) {
  fiber::event event;
  std::atomic<int> woken = 0;
  run_all(GetParam(), 6, [&](int index) {
    if (index == 5) {
      fiber::sleep_for(2 * ms);
      event.set();
    }
    event.wait();
    ++woken;
  });
  EXPECT_EQ(woken, 6);
  EXPECT_TRUE(event.done());
  event.reset();
  EXPECT_FALSE(event.done());
}

TEST_P(FiberSync, FutureCarriesAValueOrAnException) {
  fiber::future<std::string> value;
  fiber::future<int> failure;
  run_all(GetParam(), 4, [&](int index) {
    if (index == 0) value.set("text");
    if (index == 1) failure.set_exception(std::make_exception_ptr(std::range_error("x")));
    EXPECT_EQ(value.get(), "text");
    EXPECT_THROW(failure.get(), std::range_error);
  });
}

TEST_P(FiberSync, DeadlinesPass) {
  run_all(GetParam(), 2, [&](int) {
    fiber::semaphore none(0);
    fiber::event never;
    fiber::channel<int> empty(1);
    fiber::mutex mutex;
    fiber::condition silent;
    const std::int64_t begin = fiber::now_ns();
    EXPECT_FALSE(none.acquire_until(fiber::deadline_in(ms)));
    EXPECT_FALSE(never.wait_until(fiber::deadline_in(ms)));
    EXPECT_FALSE(empty.receive(fiber::deadline_in(ms)).has_value());
    EXPECT_TRUE(empty.send(1));
    EXPECT_FALSE(empty.send(2, fiber::deadline_in(ms)));
    std::unique_lock hold(mutex);
    EXPECT_FALSE(silent.wait_until(hold, fiber::deadline_in(ms)));
    EXPECT_TRUE(hold.owns_lock());
    EXPECT_GE(fiber::now_ns() - begin, 5 * ms);
    none.release();
    EXPECT_TRUE(none.acquire_until(fiber::now_ns() - 1));  // what is there needs no time
  });
}

TEST_P(FiberSync, WaitForAnyAndAll) {
  run_all(GetParam(), 2, [&](int) {
    fiber::event a, b;
    fiber::future<int> c;
    fiber::waitable* all[] = {&a, &b, &c};
    EXPECT_EQ(fiber::wait_any(all, fiber::deadline_in(ms)), fiber::none_done);
    b.set();
    EXPECT_EQ(fiber::wait_any(all), 1u);
    EXPECT_FALSE(fiber::wait_all(all, fiber::deadline_in(ms)));
    c.set(7);
    std::thread late([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      a.set();
    });
    EXPECT_TRUE(fiber::wait_all(all));
    late.join();
    EXPECT_TRUE(fiber::wait_all({}));
    EXPECT_EQ(fiber::wait_any({}), fiber::none_done);
  });
}

// A future may live on the stack of who waits for it, and go as soon as it is done.
TEST(FiberSyncLifetime, FutureMayGoWhileItsSetterStillRuns) {
  fiber::scheduler pool(with_workers(2));
  pool.run([&] {
    for (int i = 0; i < 2000; ++i) {
      auto future = std::make_unique<fiber::future<int>>();
      pool.launch([&future = *future, i] { future.set(i); });
      while (!future->done()) fiber::yield();
      ASSERT_EQ(future->get(), i);
    }
  });
}

TEST(FiberSyncLifetime, MutexMayGoOnceItIsHeldAgain) {
  fiber::scheduler pool(with_workers(2));
  pool.run([&] {
    for (int i = 0; i < 1000; ++i) {
      auto mutex = std::make_unique<fiber::mutex>();
      mutex->lock();
      pool.launch([&mutex = *mutex] { mutex.unlock(); });
      mutex->lock();
      mutex->unlock();
    }
  });
}

TEST(FiberSequencer, BringsExceptionsToTheirCaller) {
  fiber::scheduler pool(with_workers(2));
  fiber::sequencer sequencer;
  std::atomic<int> thrown = 0;
  pool.run([&] {
    std::vector<std::unique_ptr<fiber::event>> done;
    for (int i = 0; i < 50; ++i) {
      auto* end = done.emplace_back(std::make_unique<fiber::event>()).get();
      pool.launch([&, end, i] {
        try {
          sequencer.run([&] {
            fiber::yield();  // a body may suspend; meanwhile others line up
            if (i % 2 == 0) throw i;
          });
        } catch (int number) {
          if (number == i) ++thrown;
        }
        end->set();
      });
    }
    for (auto& each : done) each->wait();
  });
  EXPECT_EQ(thrown, 25);
}

TEST(FiberChannel, HoldsMoveOnlyValuesAndClosesCleanly) {
  fiber::channel<std::unique_ptr<int>> channel(2);
  EXPECT_TRUE(channel.send(std::make_unique<int>(1)));
  EXPECT_TRUE(channel.send(std::make_unique<int>(2)));
  channel.close();
  EXPECT_TRUE(channel.closed());
  EXPECT_FALSE(channel.send(std::make_unique<int>(3)));
  EXPECT_EQ(**channel.receive(), 1);
  EXPECT_EQ(**channel.receive(), 2);
  EXPECT_FALSE(channel.receive().has_value());
  EXPECT_THROW(fiber::channel<int>(0), fiber::error);
}

// A reader that comes while a writer waits queues behind it.
TEST(FiberSharedMutex, WritersDoNotStarve) {
  fiber::scheduler pool(with_workers(1));
  pool.run([&] {
    fiber::shared_mutex mutex;
    std::string order;
    mutex.lock_shared();
    auto writer = fiber::spawn([&] { mutex.lock(), order += 'w', mutex.unlock(); });
    fiber::yield();
    EXPECT_FALSE(mutex.try_lock_shared());
    auto reader = fiber::spawn([&] { mutex.lock_shared(), order += 'r', mutex.unlock_shared(); });
    fiber::yield();
    mutex.unlock_shared();
    writer.get();
    reader.get();
    EXPECT_EQ(order, "wr");
  });
}

}  // namespace
