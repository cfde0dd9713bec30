#include "harness/bandwidth.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_mask.hpp"
#include "harness/random.hpp"

namespace bb {
namespace {

std::vector<std::uint64_t> random_words(std::size_t n) {
  random_source random(n);
  std::vector<std::uint64_t> words(n);
  for (auto& w : words) w = random();
  return words;
}

std::uint64_t plain_sum(std::span<const std::uint64_t> words) {
  std::uint64_t sum = 0;
  for (const auto w : words) sum += w;
  return sum;
}

std::span<const std::byte> bytes_of(const std::vector<std::uint64_t>& words) {
  return std::as_bytes(std::span(words));
}

std::vector<unsigned> allowed() { return get_affinity(0).value(); }

TEST(sum_words, adds_whole_blocks_at_any_address) {
  const auto words = random_words(1003);
  EXPECT_EQ(sum_words({}), 0u);
  EXPECT_EQ(sum_words(bytes_of(words).first(63)), 0u);
  EXPECT_EQ(sum_words(bytes_of(words).first(64)), plain_sum(std::span(words).first(8)));
  EXPECT_EQ(sum_words(bytes_of(words)), plain_sum(std::span(words).first(1000)));
  std::vector<std::byte> shifted(8 * 1003 + 3);
  std::copy(bytes_of(words).begin(), bytes_of(words).end(), shifted.begin() + 3);
  EXPECT_EQ(sum_words(std::span(shifted).subspan(3)), plain_sum(std::span(words).first(1000)));
}

TEST(read_bandwidth, reads_everything_whatever_the_number_of_threads) {
  const auto words = random_words(8 * 1001);
  for (const std::size_t threads : {1u, 2u, 3u, 7u}) {
    const std::vector<unsigned> cpus(threads, allowed().front());
    const auto b = read_bandwidth(bytes_of(words), cpus, {.passes = 1}).value();
    EXPECT_EQ(b.sum, plain_sum(words)) << threads;
    EXPECT_EQ(b.passes, 1u);
  }
}

// Bounds that any machine of this century keeps, sanitizers and busy neighbours included.
TEST(read_bandwidth, is_that_of_a_memory) {
  const auto words = random_words(std::size_t{4} << 20);  // 32 MiB
  const auto b = read_bandwidth(bytes_of(words), allowed()).value();
  EXPECT_GT(b.gb_per_s, 0.02);
  EXPECT_LT(b.gb_per_s, 2000.0 * static_cast<double>(allowed().size()));
  EXPECT_GE(b.passes, 1u);
  EXPECT_LE(b.passes, 5u);
}

TEST(read_bandwidth, keeps_its_time) {
  const auto words = random_words(std::size_t{1} << 20);
  const auto begin = now_ns();
  const auto b = read_bandwidth(bytes_of(words), allowed(),
                                {.passes = 1'000'000, .time_limit_ns = 30'000'000});
  EXPECT_LT(now_ns() - begin, 20'000'000'000);
  EXPECT_LT(b.value().passes, 1000u);
  EXPECT_EQ(read_bandwidth(bytes_of(words), allowed(), {.time_limit_ns = 0})->passes, 1u);
  EXPECT_EQ(read_bandwidth(bytes_of(words), allowed(), {.passes = 0})->passes, 1u);
}

TEST(read_bandwidth, is_nothing_where_it_cannot_be_measured) {
  const auto words = random_words(64);
  const unsigned absent[] = {65'000};
  const unsigned one_absent[] = {allowed().front(), 65'000, allowed().front()};
  EXPECT_FALSE(read_bandwidth(bytes_of(words), {}));
  EXPECT_FALSE(read_bandwidth({}, allowed()));
  EXPECT_FALSE(read_bandwidth(bytes_of(words).first(63), allowed()));
  EXPECT_FALSE(
      read_bandwidth(bytes_of(words), std::vector<unsigned>(9, allowed().front())));  // 8 blocks
  EXPECT_FALSE(read_bandwidth(bytes_of(words), absent));
  EXPECT_FALSE(read_bandwidth(bytes_of(words), one_absent));
}

TEST(read_bandwidth, leaves_the_callers_mask_alone) {
  const auto before = allowed();
  const auto words = random_words(64);
  const unsigned last[] = {before.back()};
  EXPECT_TRUE(read_bandwidth(bytes_of(words), last, {.passes = 1}));
  EXPECT_EQ(allowed(), before);
}

}  // namespace
}  // namespace bb
