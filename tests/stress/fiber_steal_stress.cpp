// Work that spreads by stealing: every fiber runs exactly once, wherever it ends up.
#include <memory>
#include <vector>

#include "tests/stress/fiber_stress.hpp"

namespace {

// A random tree: each node spawns up to three children, suspends in random ways, and adds up what they return.
long grow(std::uint64_t seed, int depth) {
  std::mt19937_64 random(seed);
  const auto rest = [&] {
    switch (random() % 6) {
      case 0:
        fiber::yield();
        break;
      case 1:
        fiber::sleep_for(static_cast<std::int64_t>(random() % 5'000));
        break;
      case 2:
        for (auto spin = random() % 3'000; spin > 0; --spin) asm volatile("");
        break;
      default:
        break;
    }
  };
  rest();
  if (depth == 0) return 1;
  auto a = fiber::spawn([&, next = random()] { return grow(next, depth - 1); });
  auto b = fiber::spawn([&, next = random()] { return grow(next, depth - 1); });
  rest();
  auto c = fiber::spawn([&, next = random()] { return grow(next, depth - 1); });
  rest();
  return a.get() + b.get() + c.get();
}

long leaves(int depth) { return depth == 0 ? 1 : 3 * leaves(depth - 1); }

class FiberStealStress : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, FiberStealStress, ::testing::Values(1, 2, 3, 8));

TEST_P(FiberStealStress, RandomTreesAddUp) {
  const watchdog watch(std::chrono::seconds(200));
  fiber::options options = stress_options(GetParam(), 5'000);
  options.patience_ns = {0, 0, 0, 0};  // steal as eagerly as can be
  fiber::scheduler pool(options);
  for (int round = 0; round < stress_rounds(10); ++round) {
    const std::uint64_t seed = stress_seed() + static_cast<std::uint64_t>(round);
    EXPECT_EQ(pool.run([&] { return grow(seed, 6); }), leaves(6));
  }
  // On a busy machine the other workers may not have run at all yet; that they never steal, the watchdog tells.
  while (GetParam() > 1 && pool.totals().steals == 0)
    pool.run([&] { return grow(stress_seed(), 6); });
}

// Fibers with operations in flight or a deadline must stay; the others may go. All at once, from outside and inside.
TEST_P(FiberStealStress, BoundAndFreeFibersMix) {
  const watchdog watch(std::chrono::seconds(200));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::atomic<int> done = 0;
  const int count = stress_rounds(2'000);
  {
    fiber::options options = stress_options(GetParam(), 0);
    options.patience_ns = {0, 0, 0, 0};
    fiber::scheduler pool(options);
    for (int i = 0; i < count; ++i) {
      pool.launch([&, i] {
        fiber::io::operation read;
        char byte = 0;
        read.read(ends[0], &byte, 1);
        const std::uint32_t here = fiber::this_worker_index();
        fiber::yield();
        const bool in_flight = !read.done();
        EXPECT_TRUE(!in_flight || fiber::this_worker_index() == here);  // bound by the read
        if (i % 3 == 0) fiber::sleep_for(i % 1'000);
        EXPECT_EQ(fiber::io::write(ends[1], "x", 1).value, 1);
        EXPECT_EQ(read.get().value, 1);
        fiber::spawn([] { fiber::yield(); }).get();
        ++done;
      });
    }
  }
  EXPECT_EQ(done, count);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
