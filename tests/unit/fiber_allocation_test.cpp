// No heap allocation in steady state: after a warm-up, nothing that a fiber does allocates.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

#if !defined(BB_FIBER_TSAN)  // which has its own operator new

namespace {
std::atomic<std::uint64_t> allocations;
}

// GCC cannot know that these belong together.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* found = std::malloc(bytes)) return found;
  throw std::bad_alloc();
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }

namespace {

namespace io = fiber::io;

// Allocations in the steady state of `body`: pools grow to what was needed at once, and which worker needed it is
// chance, so the first runs may still allocate. What allocates in every run never has five runs without in a row.
template <class Body>
std::uint64_t in_steady_state(Body body) {
  fiber::scheduler pool(with_workers(2));
  std::uint64_t last = 0;
  for (int run = 0, quiet = 0; run < 200 && quiet < 5; ++run) {
    const std::uint64_t before = allocations;
    pool.run(body);
    last = allocations - before;
    quiet = last == 0 ? quiet + 1 : 0;
  }
  return last;
}

TEST(FiberAllocation, TheCounterCounts) {
  const std::uint64_t before = allocations;
  int* volatile pointer = new int(1);  // volatile: the pair must not be optimised away
  delete pointer;
  EXPECT_EQ(allocations - before, 1u);
}

TEST(FiberAllocation, NoneForSpawnAndJoin) {
  EXPECT_EQ(in_steady_state([] {
              int sum = 0;
              for (int i = 0; i < 1000; ++i) sum += fiber::spawn([i] { return i; }).get();
              EXPECT_EQ(sum, 499'500);
            }),
            0u);
}

TEST(FiberAllocation, NoneForYieldAndSleep) {
  EXPECT_EQ(in_steady_state([] {
              auto other = fiber::spawn([] {
                for (int i = 0; i < 1000; ++i) fiber::yield();
              });
              for (int i = 0; i < 1000; ++i) i % 100 == 0 ? fiber::sleep_for(1000) : fiber::yield();
            }),
            0u);
}

TEST(FiberAllocation, NoneForSynchronisation) {
  fiber::channel<int> channel(4);
  EXPECT_EQ(in_steady_state([&] {
              fiber::mutex mutex;
              fiber::semaphore permits(1);
              fiber::sequencer sequencer;
              auto sender = fiber::spawn([&] {
                for (int i = 0; i < 200; ++i) {
                  channel.send(i);
                  sequencer.run([] {});
                }
              });
              for (int i = 0; i < 200; ++i) {
                const std::lock_guard hold(mutex);
                permits.acquire_until(fiber::deadline_in(1'000'000));
                EXPECT_EQ(channel.receive(), i);
                permits.release();
                fiber::future<int> answer;
                auto setter = fiber::spawn([&] { answer.set(i); });
                fiber::waitable* any[] = {&answer, &setter};
                fiber::wait_all(any);
              }
            }),
            0u);
}

TEST(FiberAllocation, NoneForInputAndOutput) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(in_steady_state([&] {
              char out = 'x';
              char in = 0;
              for (int i = 0; i < 200; ++i) {
                io::operation read;
                read.read(ends[0], &in, 1);
                EXPECT_EQ(io::send(ends[1], &out, 1).value, 1);
                EXPECT_EQ(read.get().value, 1);
                EXPECT_EQ(io::recv(ends[0], &in, 1, 0, fiber::deadline_in(10'000)).number(),
                          ETIMEDOUT);
              }
            }),
            0u);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace

#endif
