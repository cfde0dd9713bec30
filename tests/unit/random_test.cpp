#include "harness/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace bb {
namespace {

static_assert(std::uniform_random_bit_generator<random_source>);

// Reference values of the published splitmix64 for seed 1234567.
TEST(random, splitmix64_gives_the_published_sequence) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317u);
  EXPECT_EQ(splitmix64(state), 3203168211198807973u);
  EXPECT_EQ(splitmix64(state), 9817491932198370423u);
}

TEST(random, a_seed_is_a_sequence) {
  random_source a(7), b(7), c(8);
  const auto first = a();
  EXPECT_EQ(first, b());
  EXPECT_NE(first, c());
  EXPECT_EQ(a(), b());
}

TEST(random, below_is_in_range_and_even) {
  random_source random(3);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
  std::vector<int> seen(6);
  for (int i = 0; i < 60'000; ++i) ++seen[random.below(6)];
  // Each count is binomial(60000, 1/6): mean 10000, deviation 91; five of those either way.
  for (const int n : seen) EXPECT_NEAR(n, 10'000, 460);
}

TEST(random, unit_is_in_range_and_even) {
  random_source random(5);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.unit();
    ASSERT_TRUE(u >= 0 && u < 1) << u;
    sum += u;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);  // deviation of the mean: 0.0009
}

TEST(random, shuffle_gives_every_order_equally_often) {
  random_source random(11);
  std::vector<int> seen(6);
  for (int i = 0; i < 60'000; ++i) {
    std::vector<int> items{0, 1, 2};
    random.shuffle(std::span(items));
    ++seen[static_cast<std::size_t>(items[0] * 2 + (items[1] > items[2]))];
  }
  for (const int n : seen) EXPECT_NEAR(n, 10'000, 460);
}

}  // namespace
}  // namespace bb
