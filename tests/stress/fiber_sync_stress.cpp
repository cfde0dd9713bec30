// Primitives under contention by fibers and threads on more workers than processors, and cancellation from afar.
#include <fcntl.h>

#include <memory>
#include <mutex>
#include <vector>

#include "tests/stress/fiber_stress.hpp"

namespace {

namespace io = fiber::io;

// Runs `body(i)` in `fibers` fibers and `threads` threads at once.
template <class Body>
void contend(std::size_t workers, int fibers, int threads, Body body) {
  const watchdog watch(std::chrono::seconds(120));
  fiber::scheduler pool(stress_options(workers, 2'000));
  std::vector<std::thread> plain;
  for (int i = 0; i < threads; ++i) plain.emplace_back(body, i);
  for (int i = 0; i < fibers; ++i) pool.launch([&body, i, threads] { body(threads + i); });
  for (std::thread& each : plain) each.join();
}

TEST(FiberSyncStress, LockHandOversKeepAnInvariant) {
  fiber::mutex mutex;
  fiber::condition changed;
  long balance = 0;
  contend(3, 12, 3, [&](int index) {
    std::mt19937_64 random(stress_seed() + static_cast<std::uint64_t>(index));
    for (int i = 0; i < stress_rounds(2'000); ++i) {
      std::unique_lock hold(mutex);
      if (index % 2 == 0) {
        ++balance;
        random() % 2 == 0 ? changed.notify_one() : changed.notify_all();
      } else if (changed.wait_until(
                     hold, fiber::deadline_in(static_cast<std::int64_t>(random() % 50'000)),
                     [&] { return balance > 0; })) {
        --balance;
      }
      ASSERT_GE(balance, 0);
    }
  });
}

TEST(FiberSyncStress, SequencerLosesNothingUnderContention) {
  fiber::sequencer sequencer;
  long plain = 0;
  const int rounds = stress_rounds(5'000);
  contend(3, 9, 3, [&](int index) {
    for (int i = 0; i < rounds; ++i) {
      long mine = -1;
      sequencer.run([&] { mine = ++plain; });
      ASSERT_GT(mine, 0);
      if (i % 7 == index % 7) fiber::yield();
    }
  });
  EXPECT_EQ(plain, 12l * rounds);
}

TEST(FiberSyncStress, ChannelsWithDeadlinesDeliverOnce) {
  fiber::channel<int> channel(3);
  std::atomic<long> sent = 0;
  std::atomic<long> received = 0;
  std::atomic<int> senders = 6;
  contend(3, 9, 3, [&](int index) {
    std::mt19937_64 random(stress_seed() + static_cast<std::uint64_t>(index));
    const auto soon = [&] {
      return fiber::deadline_in(static_cast<std::int64_t>(random() % 30'000));
    };
    if (index % 2 == 0) {
      for (int i = 1; i <= stress_rounds(2'000); ++i) {
        if (channel.send(i, soon())) sent += i;
      }
      if (--senders == 0) channel.close();
    } else {
      for (bool open = true; open;) {
        const bool closed =
            channel.closed();  // before looking: what was sent until then is still to be had
        const auto value = channel.receive(soon());
        if (value) received += *value;
        open = value || !closed;
      }
    }
  });
  EXPECT_EQ(received, sent);
}

// Operations are cancelled by their own fiber, by another worker and by a plain thread, all at once and while bytes
// arrive; the kernel and the canceller may both be late. No operation may hang, no byte may be lost.
TEST(FiberSyncStress, CancelFromEverywhere) {
  const watchdog watch(std::chrono::seconds(120));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const int rounds = stress_rounds(5'000);
  long received = 0;
  long sent = 0;
  std::mt19937_64 random(stress_seed());
  fiber::scheduler pool(stress_options(2, 2'000));
  fiber::channel<io::operation*> to_thread(1);
  fiber::semaphore cancelled(0);
  std::thread canceller([&] {
    while (const auto target = to_thread.receive()) (*target)->cancel(), cancelled.release();
  });
  pool.run([&] {
    fiber::move_to_worker(0);
    for (int i = 0; i < rounds; ++i) {
      io::operation read;
      char byte;
      read.read(ends[0], &byte, 1);
      to_thread.send(&read);
      fiber::event done;
      pool.launch_on(1, [&] { read.cancel(), done.set(); });
      if (random() % 2 == 0) sent += io::write(ends[1], "x", 1).value;
      if (random() % 8 == 0) read.cancel();
      const io::result result = read.get();
      ASSERT_TRUE(result.value == 1 || result.number() == ECANCELED) << result.message();
      received += result.value == 1;
      done.wait();  // nobody may touch the operation once it is gone
      cancelled.acquire();
    }
  });
  to_thread.close();
  canceller.join();
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  char rest[4096];
  for (ssize_t got; (got = ::read(ends[0], rest, sizeof rest)) > 0;) received += got;
  EXPECT_EQ(received, sent);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
