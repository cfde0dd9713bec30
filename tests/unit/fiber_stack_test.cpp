// Stacks: guards, colour, limits, and what a parked fiber costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <set>
#include <string>

#include "runtimes/fiber/detail/stack_pool.hpp"
#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

namespace {

using fiber::stack_guard;
using fiber::detail::control_block;
using fiber::detail::stack_geometry;
using fiber::detail::stack_pool;

std::uintptr_t top_of(const control_block& block) {
  return reinterpret_cast<std::uintptr_t>(block.stack_top);
}

TEST(FiberStack, TopsAreColouredWithinOnePage) {
  stack_pool pool({.stack_bytes = 16 * 1024, .max_fibers = 128});
  pool.take(128);
  std::set<std::uintptr_t> offsets;
  for (std::uint32_t i = 0; i < 128; ++i) {
    const std::uintptr_t below = (4096 - top_of(pool.block(i)) % 4096) % 4096;
    EXPECT_EQ(top_of(pool.block(i)) % 16, 0u);
    offsets.insert(below);
  }
  EXPECT_EQ(offsets.size(), 64u);  // every cache set of a page once
}

TEST(FiberStack, ColourCanBeSwitchedOff) {
  stack_pool pool({.stack_bytes = 16 * 1024, .max_fibers = 8, .color_bytes = 0});
  pool.take(8);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(top_of(pool.block(i)) % 4096, 0u);
}

TEST(FiberStack, BlocksSpreadOverAllCacheSets) {
  stack_pool pool({.max_fibers = 64});
  pool.take(64);
  std::set<std::uintptr_t> sets;
  for (std::uint32_t i = 0; i < 64; ++i)
    sets.insert(reinterpret_cast<std::uintptr_t>(&pool.block(i)) / 64 % 64);
  EXPECT_EQ(sets.size(), 64u);
}

TEST(FiberStack, GivesBlocksOutAgain) {
  stack_pool pool({.max_fibers = 4});
  control_block* chain = pool.take(4);
  EXPECT_THROW(pool.take(1), fiber::error);
  auto* last = chain;
  while (last->next != nullptr) last = static_cast<control_block*>(last->next);
  pool.give(chain, last);
  EXPECT_NE(pool.take(1), nullptr);
  EXPECT_EQ(pool.made(), 4u);
}

class FiberStackGuard : public ::testing::TestWithParam<stack_guard> {};

#if !defined(BB_FIBER_TSAN)
[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (frame[0] != static_cast<char>(depth)) return 0;
  return overflow(depth + 1) + frame[0];
}

void overflow_in_a_fiber(stack_guard guard) {
  fiber::options options = with_workers(1);
  options.guard = guard;
  fiber::scheduler pool(options);
  pool.run([] {
    fiber::name_this_fiber("deep one");
    return overflow(0);
  });
}

// silk.md part 6, fault 7: an overflow must be named, not be a bare SIGSEGV.
TEST_P(FiberStackGuard, OverflowIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(overflow_in_a_fiber(GetParam()),
               "stack overflow in fiber [0-9]+ \\(deep one\\) at a depth of 6[0-9]+ bytes; its "
               "stack has 65536: "
               "raise options.stack_bytes");
}
INSTANTIATE_TEST_SUITE_P(All, FiberStackGuard,
                         ::testing::Values(stack_guard::automatic, stack_guard::mprotect));

TEST(FiberStackGuard, FaultsElsewhereAreNotClaimed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [] {
    fiber::scheduler pool(with_workers(1));
    volatile std::uintptr_t nowhere = 8;  // volatile: g++ must not see that it is no object
    pool.run([&] { *reinterpret_cast<volatile int*>(nowhere) = 1; });
  };
  EXPECT_DEATH(fault(), ::testing::Not(::testing::HasSubstr("stack overflow in fiber")));
}
#endif

#if !defined(BB_FIBER_TSAN) && \
    !defined(BB_FIBER_ASAN)  // those need mappings and addresses of their own
std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

std::size_t status_kib(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == key + ":" && status >> kib) return kib;
  }
  return 0;
}

// silk.md part 6, fault 9: two guards per stack end at vm.max_map_count; with guards that split no mapping there is no
// such end.
TEST(FiberStack, HoldsAHundredThousandParkedFibers) {
  fiber::scheduler pool(with_workers(1));
  const bool splits_nothing = pool.guard() == stack_guard::madvise;  // Linux 6.13
  const int count = splits_nothing ? 100'000 : 20'000;
  const std::size_t mappings_before = mappings();
  const std::size_t kib_before = status_kib("VmRSS") + status_kib("VmPTE");
  pool.run([&] {
    fiber::event go;
    fiber::semaphore ended(0);
    for (int i = 0; i < count; ++i) {
      pool.launch([&] { go.wait(), ended.release(); });
      if (i % 1000 == 0) fiber::yield();
    }
    fiber::sleep_for(1'000'000);
    const std::size_t kib = status_kib("VmRSS") + status_kib("VmPTE") - kib_before;
    const double bytes_per_fiber = static_cast<double>(kib) * 1024 / count;
    EXPECT_LE(bytes_per_fiber, 5.5 * 1024) << "resident and page tables, per parked fiber";
    EXPECT_LT(mappings(), mappings_before + (splits_nothing ? 20 : 50'000));
    RecordProperty("bytes_per_fiber", static_cast<int>(bytes_per_fiber));
    go.set();
    for (int i = 0; i < count; ++i) ended.acquire();
  });
}

TEST(FiberStack, SaysWhichSysctlLimitsGuardsByMprotect) {
  std::size_t limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  const auto more_than_fit = static_cast<std::uint32_t>(limit);
  stack_pool pool(
      {.stack_bytes = 8192, .max_fibers = more_than_fit, .guard = stack_guard::mprotect});
  std::size_t made = 0;
  try {
    for (; made < more_than_fit; ++made) pool.take(1);
    FAIL() << "expected fiber::error";
  } catch (const fiber::error& failure) {
    EXPECT_THAT(failure.what(),
                ::testing::HasSubstr("vm.max_map_count is " + std::to_string(limit)));
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("sysctl -w vm.max_map_count="));
  }
  EXPECT_GT(made, limit / 3);  // the failure is not an early one
}

TEST(FiberStack, SaysWhenThereIsNoAddressSpace) {
  rlimit old{};
  getrlimit(RLIMIT_AS, &old);
  const rlimit small{std::size_t{2} << 30, old.rlim_max};
  setrlimit(RLIMIT_AS, &small);
  std::string text;
  try {
    stack_pool pool({.max_fibers = 1u << 20});
  } catch (const fiber::error& failure) {
    text = failure.what();
  }
  setrlimit(RLIMIT_AS, &old);
  EXPECT_THAT(text, ::testing::HasSubstr("ENOMEM"));
  EXPECT_THAT(text, ::testing::HasSubstr("lower options.max_fibers"));
}
#endif

}  // namespace
