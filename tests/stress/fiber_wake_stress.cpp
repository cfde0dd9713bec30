// Lost wake-ups (silk#88): many single wakes between threads and fibers on few processors, with workers that go to
// sleep as often as they can.
#include <memory>
#include <vector>

#include "tests/stress/fiber_stress.hpp"

namespace {

// A plain thread and a fiber take turns; each wake is the only one that can end the other's sleep.
void take_turns(fiber::scheduler& pool, int rounds, bool random_pauses) {
  fiber::semaphore to_fiber(0);
  fiber::semaphore to_thread(0);
  auto echo = pool.spawn([&] {
    for (int i = 0; i < rounds; ++i) to_fiber.acquire(), to_thread.release();
  });
  std::mt19937_64 random(stress_seed());
  for (int i = 0; i < rounds; ++i) {
    to_fiber.release();
    if (random_pauses && random() % 4 == 0) {
      for (std::uint64_t pause = random() % 2000; pause > 0; --pause) asm volatile("");
    }
    to_thread.acquire();
  }
}

void take_turns_on_two_workers(const fiber::options& options) {
  const watchdog watch(std::chrono::seconds(120));
  fiber::scheduler pool(options);
  const int rounds = stress_rounds(20'000);
  fiber::semaphore ping(0);
  fiber::semaphore pong(0);
  fiber::semaphore ended(0);
  pool.launch_on(0, [&] {
    for (int i = 0; i < rounds; ++i) ping.release(), pong.acquire();
    ended.release();
  });
  pool.launch_on(1, [&] {
    for (int i = 0; i < rounds; ++i) ping.acquire(), pong.release();
    ended.release();
  });
  ended.acquire();
  ended.acquire();
}

class FiberWakeStress : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(SpinNs, FiberWakeStress, ::testing::Values(0, 2'000, 50'000));

TEST_P(FiberWakeStress, ThreadAndFiberTakeTurns) {
  const watchdog watch(std::chrono::seconds(120));
  fiber::scheduler pool(stress_options(2, GetParam()));
  take_turns(pool, stress_rounds(20'000), true);
}

TEST_P(FiberWakeStress, FibersOnTwoWorkersTakeTurns) {
  take_turns_on_two_workers(stress_options(2, GetParam()));
}

// The fall-back of the doorbell, for kernels without MSG_RING.
TEST_P(FiberWakeStress, FibersOnTwoWorkersTakeTurnsByEventfd) {
  fiber::options options = stress_options(2, GetParam());
  options.ring_doorbell = false;
  take_turns_on_two_workers(options);
}

TEST_P(FiberWakeStress, TwoSchedulersTakeTurns) {
  const watchdog watch(std::chrono::seconds(120));
  fiber::scheduler one(stress_options(1, GetParam()));
  fiber::scheduler other(stress_options(1, GetParam()));
  const int rounds = stress_rounds(10'000);
  long sum = 0;
  one.run([&] {
    for (int i = 0; i < rounds; ++i) sum += other.run([i] { return i; });
  });
  EXPECT_EQ(sum, static_cast<long>(rounds) * (rounds - 1) / 2);
}

// Schedulers that come and go while others still post to them: the last message and the end race.
TEST_P(FiberWakeStress, SchedulersEndRightAfterTheirLastFiber) {
  const watchdog watch(std::chrono::seconds(120));
  std::mt19937_64 random(stress_seed());
  for (int i = 0; i < stress_rounds(300); ++i) {
    fiber::event go;  // outlives those who wait for it
    fiber::scheduler pool(stress_options(1 + random() % 3, GetParam()));
    for (int k = 0; k < 4; ++k) pool.launch([&] { go.wait(); });
    std::thread setter([&] { go.set(); });
    setter.join();
  }
}

// The first of several waiters to wake destroys what they waited for, while the setter still wakes the others. One
// worker, so that all are known to wait before the setter begins.
TEST_P(FiberWakeStress, TheFirstWokenMayDestroyTheEvent) {
  const watchdog watch(std::chrono::seconds(120));
  fiber::scheduler pool(stress_options(1, GetParam()));
  fiber::channel<fiber::event*> to_setter(1);
  std::thread setter([&] {
    while (const auto event = to_setter.receive()) (*event)->set();
  });
  pool.run([&] {
    for (int i = 0; i < stress_rounds(3'000); ++i) {
      auto event = std::make_unique<fiber::event>();
      fiber::semaphore ended(0);
      for (int k = 0; k < 3; ++k) {
        pool.launch([&, waited_for = event.get()] {
          waited_for->wait();
          event.reset();
          ended.release();
        });
      }
      fiber::yield();  // each of them runs until it waits
      to_setter.send(event.get());
      for (int k = 0; k < 3; ++k) ended.acquire();
    }
  });
  to_setter.close();
  setter.join();
}

// Sleepers whose deadline and wake-up come at the same moment: each is granted or timed out, never both, never lost.
TEST_P(FiberWakeStress, DeadlinesRaceWithWakes) {
  const watchdog watch(std::chrono::seconds(120));
  std::atomic<int> granted = 0;
  const int rounds = stress_rounds(2'000);
  fiber::semaphore permits(0);
  {
    fiber::scheduler pool(stress_options(3, GetParam()));
    for (int k = 0; k < 6; ++k) {
      pool.launch([&, k] {
        std::mt19937_64 random(stress_seed() + k);
        for (int i = 0; i < rounds; ++i) {
          const auto patience = static_cast<std::int64_t>(random() % 20'000);
          if (permits.acquire_until(fiber::deadline_in(patience))) ++granted;
        }
      });
    }
    pool.launch([&] {
      std::mt19937_64 random(stress_seed() + 99);
      for (int i = 0; i < rounds; ++i) {
        permits.release();
        fiber::sleep_for(static_cast<std::int64_t>(random() % 10'000));
      }
    });
  }
  int left = 0;
  while (permits.try_acquire()) ++left;
  EXPECT_EQ(granted + left, rounds);
}

TEST_P(FiberWakeStress, AnyOfSeveralIsNeverLost) {
  const watchdog watch(std::chrono::seconds(120));
  fiber::scheduler pool(stress_options(3, GetParam()));
  std::mt19937_64 random(stress_seed());
  pool.run([&] {
    for (int i = 0; i < stress_rounds(3'000); ++i) {
      fiber::event events[3];
      fiber::waitable* all[] = {&events[0], &events[1], &events[2]};
      const auto chosen = random() % 3;
      auto setter = fiber::spawn([&] {
        if (i % 2 == 0) fiber::move_to_worker(i / 2 % 3);
        events[chosen].set();
      });
      const auto patience = static_cast<std::int64_t>(random() % 20'000);
      const std::size_t found = fiber::wait_any(all, fiber::deadline_in(patience));
      ASSERT_TRUE(found == chosen || found == fiber::none_done);
      ASSERT_EQ(fiber::wait_any(all), chosen);
      setter.get();
    }
  });
}

}  // namespace
