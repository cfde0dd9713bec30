// The raw context switch, without a scheduler.
#include "runtimes/fiber/detail/context.hpp"

#include <execinfo.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtimes/fiber/detail/strand.hpp"

#if defined(__clang__)
#define BB_UNOPTIMISED __attribute__((optnone, noinline))
#else
#define BB_UNOPTIMISED __attribute__((optimize("O0"), noinline))
#endif

namespace {

using fiber::detail::context;
using fiber::detail::make_context;
using fiber::detail::strand;
using fiber::detail::switch_strand;

// A second flow of control beside the test's own.
class partner {
 public:
  explicit partner(void (*body)(partner&)) : body_(body), stack_(new char[stack_bytes]) {
    fiber::detail::sanitizer_adopt_thread(test_.sanitizer);
    other_.sanitizer = {nullptr, stack_.get(), stack_bytes};
    fiber::detail::sanitizer_create(other_.sanitizer);
    const auto top = reinterpret_cast<std::uintptr_t>(stack_.get()) + stack_bytes;
    other_.ctx = make_context(reinterpret_cast<void*>(top & ~std::uintptr_t{15}), entry, this);
  }
  ~partner() {
    fiber::detail::sanitizer_destroy(other_.sanitizer);
    fiber::detail::sanitizer_unpoison(stack_.get(), stack_bytes);
  }

  [[gnu::always_inline]] void go() { switch_strand(test_, other_); }
  [[gnu::always_inline]] void back() { switch_strand(other_, test_); }

  int steps = 0;
  std::uintptr_t seen = 0;

 private:
  static constexpr std::size_t stack_bytes = 256 * 1024;

  static void entry(void* self) noexcept {
    auto& me = *static_cast<partner*>(self);
    fiber::detail::sanitizer_arrive(me.other_.sanitizer);
    me.body_(me);
    switch_strand(me.other_, me.test_, fiber::detail::departure::final);
  }

  void (*body_)(partner&);
  std::unique_ptr<char[]> stack_;
  strand test_;
  strand other_;
};

TEST(FiberContext, AlternatesBetweenTwoStacks) {
  partner p([](partner& self) {
    for (int i = 0; i < 1000; ++i) {
      ++self.steps;
      self.back();
    }
  });
  for (int i = 1; i <= 1000; ++i) {
    p.go();
    ASSERT_EQ(p.steps, i);
  }
  p.go();
}

TEST(FiberContext, EntryHasAnAlignedStack) {
  partner p([](partner& self) {
    self.seen = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16;
  });
  p.seen = 99;
  p.go();
  EXPECT_EQ(p.seen, 0u);
}

// Keeps a dozen values live over each switch; the partner does the same with others in between.
template <class Number>
[[gnu::always_inline]] inline Number mix(Number seed, auto between) {
  Number a = seed, b = seed * 3, c = seed + 7, d = seed * 5, e = seed + 11, f = seed * 13;
  Number g = seed + 17, h = seed * 19, i = seed + 23, j = seed * 29, k = seed + 31, l = seed * 37;
  for (int round = 0; round < 50; ++round) {
    between();
    a = a + b, c = c + d, e = e + f, g = g + h, i = i + j, k = k + l;
  }
  return a + c + e + g + i + k + b + d + f + h + j + l;
}

template <class Number>
[[gnu::noinline]] Number optimised(partner& p, bool inside, Number seed) {
  return mix(
      seed, [&]() __attribute__((always_inline)) { inside ? p.back() : p.go(); });
}
template <class Number>
BB_UNOPTIMISED Number unoptimised(partner& p, bool inside, Number seed) {
  return mix(
      seed, [&]() __attribute__((always_inline)) { inside ? p.back() : p.go(); });
}

template <class Number>
class FiberContextOf : public ::testing::Test {};
using numbers = ::testing::Types<std::uint64_t, double, float, long double>;
TYPED_TEST_SUITE(FiberContextOf, numbers);

TYPED_TEST(FiberContextOf, RegistersSurviveOptimised) {
  partner p([](partner& self) { optimised<TypeParam>(self, true, 1000); });
  EXPECT_EQ(optimised<TypeParam>(p, false, 2), mix<TypeParam>(2, [] {}));
}

TYPED_TEST(FiberContextOf, RegistersSurviveUnoptimised) {
  partner p([](partner& self) { unoptimised<TypeParam>(self, true, 1000); });
  EXPECT_EQ(unoptimised<TypeParam>(p, false, 2), mix<TypeParam>(2, [] {}));
}

using vector_of_int = std::int32_t __attribute__((vector_size(64)));

[[gnu::noinline]] void mix_vectors(partner& p, bool inside, std::int32_t seed, std::int32_t* sums) {
  vector_of_int a = vector_of_int{} + seed, b = a * 3, c = a + 7, d = a * 5;
  for (int round = 0; round < 50; ++round) {
    inside ? p.back() : p.go();
    a += b;
    c += d;
  }
  a += c;
  std::memcpy(sums, &a, sizeof a);
}

TEST(FiberContext, VectorRegistersSurvive) {
  partner p([](partner& self) {
    std::int32_t ignored[16];
    mix_vectors(self, true, 1000, ignored);
  });
  std::int32_t sums[16];
  mix_vectors(p, false, 2, sums);
  for (std::int32_t lane : sums) EXPECT_EQ(lane, 2 + 6 * 50 + 9 + 10 * 50);
}

#if !defined(BB_FIBER_ASAN) && !defined(BB_FIBER_TSAN)
// With optimisation off and no calls, locals lie in the red zone below the stack pointer: a switch that pushes would
// overwrite them.
BB_UNOPTIMISED int red_zone_sum(context& from, context& to) {
  volatile int locals[24];
  for (int i = 0; i < 24; ++i) locals[i] = i;
  fiber::detail::switch_context(from, to);
  int sum = 0;
  for (int i = 0; i < 24; ++i) sum += locals[i];
  return sum;
}

TEST(FiberContext, RedZoneSurvives) {
  static context test;
  static context other;
  static std::vector<char> stack(64 * 1024);
  const auto top = reinterpret_cast<std::uintptr_t>(stack.data()) + stack.size();
  const auto entry = [](void*) noexcept {
    for (;;) red_zone_sum(other, test);
  };
  other = make_context(reinterpret_cast<void*>(top & ~std::uintptr_t{15}), entry, nullptr);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(red_zone_sum(test, other), 24 * 23 / 2);
}
#endif

TEST(FiberContext, ExceptionsAreCaughtOnTheirOwnStack) {
  partner p([](partner& self) {
    try {
      throw std::runtime_error("inside");
    } catch (const std::runtime_error& failure) {
      self.seen = std::strcmp(failure.what(), "inside") == 0 ? 1 : 2;
    }
  });
  p.go();
  EXPECT_EQ(p.seen, 1u);
}

[[gnu::noinline]] int deep_backtrace(void** frames, int most, int depth) {
  if (depth == 0) return ::backtrace(frames, most);
  const int count = deep_backtrace(frames, most, depth - 1);
  asm volatile("");  // no tail call
  return count;
}

// An unwinder must stop at the entry instead of running past the end of the stack.
TEST(FiberContext, BacktraceEndsAtTheEntry) {
  static void* frames[64];
  static int count;
  partner p([](partner&) { count = deep_backtrace(frames, 64, 10); });
  p.go();
  EXPECT_GE(count, 12);
  EXPECT_LE(count, 20);
#if !defined(BB_FIBER_BOOST_CONTEXT)
  const context fresh =
      make_context(&frames[63], nullptr, nullptr);  // holds the address of the entry
  const auto last = reinterpret_cast<std::uintptr_t>(frames[count - 1]);
  const auto entry = reinterpret_cast<std::uintptr_t>(fresh.pc);
  EXPECT_GT(last, entry);
  EXPECT_LT(last, entry + 64);
#endif
}

#if !defined(BB_FIBER_BOOST_CONTEXT)
// The stated policy: rounding modes belong to the thread and are not switched.
TEST(FiberContext, RoundingModeBelongsToTheThread) {
  partner p([](partner& self) { self.seen = static_cast<std::uintptr_t>(std::fegetround()); });
  std::fesetround(FE_UPWARD);
  p.go();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(p.seen, static_cast<std::uintptr_t>(FE_UPWARD));
}
#endif

TEST(FiberContext, KindIsNamed) {
#if defined(BB_FIBER_BOOST_CONTEXT)
  EXPECT_STREQ(fiber::detail::context_kind(), "boost");
#elif defined(__x86_64__)
  EXPECT_STREQ(fiber::detail::context_kind(), "x86_64");
#else
  EXPECT_STREQ(fiber::detail::context_kind(), "aarch64");
#endif
}

}  // namespace
