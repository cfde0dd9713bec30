// The latency histogram against a sorted list of the same values, at the edges of its range, and through JSON.

#include "harness/histogram.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/error.hpp"
#include "harness/random.hpp"
#include "harness/stats.hpp"

namespace bb {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

constexpr auto most = std::numeric_limits<std::int64_t>::max();

histogram of(const std::vector<std::int64_t>& values) {
  histogram h;
  for (const auto v : values) h.record(v);
  return h;
}

// Log-uniform from 1 ns to hours: every bin width occurs.
std::vector<std::int64_t> latencies(std::size_t n, std::uint64_t seed) {
  random_source random(seed);
  std::vector<std::int64_t> values(n);
  for (auto& v : values)
    v = static_cast<std::int64_t>(std::exp2(random.unit() * 44)) - (random() & 1);
  return values;
}

TEST(histogram, empty_has_no_quantiles_and_no_extremes) {
  const histogram h;
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.min_ns(), std::nullopt);
  EXPECT_EQ(h.max_ns(), std::nullopt);
  EXPECT_EQ(h.quantile(0.5), std::nullopt);
  EXPECT_EQ(h.resolved_quantile(1), std::nullopt);
  EXPECT_FALSE(h.beyond(0.99));
  EXPECT_TRUE(h.bins().empty());
}

TEST(histogram, zero_is_counted) {
  const auto h = of({0});
  EXPECT_EQ(h.count(), 1u);
  EXPECT_EQ(h.min_ns(), 0);
  EXPECT_EQ(h.max_ns(), 0);
  EXPECT_EQ(h.quantile(0.5), 0);
  EXPECT_EQ(h.bins(), (std::vector<histogram::bin>{{0, 1, 1}}));
}

TEST(histogram, values_below_2048_have_a_bin_each) {
  histogram h;
  for (std::int64_t v = 0; v < 2048; ++v) h.record(v);
  const auto bins = h.bins();
  ASSERT_EQ(bins.size(), 2048u);
  for (std::int64_t v = 0; v < 2048; ++v)
    EXPECT_EQ(bins[static_cast<std::size_t>(v)], (histogram::bin{v, 1, 1}));
  EXPECT_EQ(h.quantile(0.5), 1023);
}

TEST(histogram, bins_join_without_gap_and_are_at_most_a_thousandth_wide) {
  histogram h;
  const auto bin_width = [](std::uint64_t v) {
    return std::max<std::uint64_t>(1, std::bit_floor(v) / 1024);
  };
  for (std::uint64_t v = 1; v < histogram_layout::limit; v += bin_width(v))
    h.record(static_cast<std::int64_t>(v));
  h.record(0);
  std::int64_t end = 0;
  for (const auto& bin : h.bins()) {
    ASSERT_EQ(bin.low, end);
    ASSERT_TRUE(bin.width == 1 || bin.width <= bin.low / 1024) << bin.low;
    end = bin.low + bin.width;
  }
  EXPECT_EQ(end, histogram::limit_ns);
}

TEST(histogram, two_to_the_forty_is_in_range) {
  constexpr auto value = std::int64_t{1} << 40;  // 18 minutes
  const auto h = of({1, value, value, most});
  EXPECT_EQ(h.overflow(), 1u);
  EXPECT_NEAR(h.quantile(0.5).value(), value, value * 0.0005);
  EXPECT_FALSE(h.beyond(0.75));
}

TEST(histogram, overflow_is_counted_and_the_maximum_stays_exact) {
  const auto h = of({5, most});
  EXPECT_EQ(h.count(), 2u);
  EXPECT_EQ(h.overflow(), 1u);
  EXPECT_EQ(h.max_ns(), most);
  EXPECT_EQ(h.quantile(1), static_cast<double>(most));
  EXPECT_EQ(of({histogram::limit_ns - 1}).overflow(), 0u);
  EXPECT_EQ(of({histogram::limit_ns}).overflow(), 1u);
}

TEST(histogram, a_quantile_among_the_overflow_says_at_least) {
  const auto h = of({5, most / 2, most / 2, most});
  EXPECT_FALSE(h.beyond(0.25));
  EXPECT_TRUE(h.beyond(0.5));
  EXPECT_EQ(h.quantile(0.5), static_cast<double>(histogram::limit_ns));
  EXPECT_EQ(of({most, most, most}).quantile(0.5),
            static_cast<double>(most));  // never below the minimum
}

TEST(histogram, a_clock_that_steps_back_is_counted_apart) {
  auto h = of({-1, 100, std::numeric_limits<std::int64_t>::min(), 200});
  EXPECT_EQ(h.negative(), 2u);
  EXPECT_EQ(h.count(), 2u);
  EXPECT_EQ(h.overflow(), 0u);
  EXPECT_EQ(h.min_ns(), 100);
  EXPECT_EQ(h.max_ns(), 200);
  EXPECT_EQ(h.quantile(0), 100);
  EXPECT_EQ(of({-5}).min_ns(), std::nullopt);
  EXPECT_EQ(of({-5}).quantile(0.5), std::nullopt);
}

TEST(histogram, quantiles_are_within_a_thousandth_of_the_sorted_list) {
  for (const std::size_t n : {1u, 2u, 3u, 10u, 99u, 100u, 101u, 5000u}) {
    const auto values = latencies(n, n);  // seed = n
    const auto h = of(values);
    const std::vector<double> exact(values.begin(), values.end());
    for (const double p : {0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto wanted = quantile(exact, p).value();
      EXPECT_NEAR(h.quantile(p).value(), wanted, wanted * 0.0005)
          << "n = seed = " << n << ", p = " << p;
    }
  }
}

TEST(histogram, quantiles_never_fall_as_p_grows_and_stay_between_the_extremes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto h = of(latencies(200, seed));
    if (seed % 2 == 0) h.record(most);
    auto last = static_cast<double>(h.min_ns().value());
    for (double p = 0; p <= 1; p += 1.0 / 512) {
      const auto q = h.quantile(p).value();
      ASSERT_GE(q, last) << "seed " << seed << ", p " << p;
      last = q;
    }
    EXPECT_EQ(last, static_cast<double>(h.max_ns().value()));
  }
}

TEST(histogram, a_quantile_is_resolved_by_enough_observations) {
  histogram h;
  for (int i = 0; i < 298; ++i) h.record(10);
  EXPECT_EQ(h.resolved_quantile(0.99), std::nullopt);
  h.record(10);
  EXPECT_EQ(h.resolved_quantile(0.99), 10);
}

TEST(histogram, merging_is_recording_both) {
  const auto a = latencies(300, 1), b = latencies(200, 2);
  auto merged = of(a);
  merged.merge(of(b));
  merged.merge(histogram());
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  EXPECT_EQ(merged, of(both));
  EXPECT_EQ(merged.count(), 500u);
}

TEST(histogram, json_is_sparse_and_reads_back) {
  const ordered_json small = of({5, 5, 3000, -1, most});
  EXPECT_EQ(small.dump(),
            R"({"lo":1,"digits":3,"min":5,"max":9223372036854775807,"overflow":1,"negative":1,)"
            R"("bins":[[5,2],[3000,1]]})");
  const ordered_json empty = histogram();
  EXPECT_EQ(empty.dump(),
            R"({"lo":1,"digits":3,"min":null,"max":null,"overflow":0,"negative":0,"bins":[]})");
  for (const auto& h :
       {of(latencies(1000, 3)), of({5, 5, 3000, -1, most}), histogram(), of({-1})}) {
    const ordered_json written = h;
    EXPECT_EQ(written.get<histogram>(), h);                              // as built
    EXPECT_EQ(ordered_json::parse(written.dump()).get<histogram>(), h);  // as read from a file
  }
}

TEST(histogram, json_that_cannot_be_is_refused) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "cannot be read"},
      {R"([])", "cannot be read"},
      {R"({"digits":2,"bins":[],"overflow":0})", "has 2 digits; this version reads 3"},
      {R"({"digits":3,"bins":[[1]],"overflow":0})", "the bin [1]; a bin is [ns, count]"},
      {R"({"digits":3,"bins":[5],"overflow":0})", "the bin 5; a bin is [ns, count]"},
      {R"({"digits":3,"bins":[[-1,2]],"overflow":0})", "holds -1 where a whole number belongs"},
      {R"({"digits":3,"bins":[[1,-2]],"overflow":0})", "holds -2 where a whole number belongs"},
      {R"({"digits":3,"bins":[[1,1.5]],"overflow":0})", "holds 1.5 where a whole number belongs"},
      {R"({"digits":3,"bins":[[17592186044416,1]],"overflow":0})", "from 0 to 17592186044415"},
      {R"({"digits":3,"bins":[],"overflow":-1})", "holds -1 where a whole number belongs"},
      {R"({"digits":3,"bins":[[5,1]],"overflow":0})", "cannot be read"},
      {R"({"digits":3,"bins":[[5,1]],"overflow":0,"min":6,"max":6})",
       "do not lie in its first and last bin"},
      {R"({"digits":3,"bins":[[5,1],[7,1]],"overflow":0,"min":5,"max":6})",
       "do not lie in its first and last"},
      {R"({"digits":3,"bins":[[4096,2]],"overflow":0,"min":4098,"max":4097})", "do not lie in"},
      {R"({"digits":3,"bins":[[5,1]],"overflow":1,"min":5,"max":5})",
       "do not lie in its first and last bin"},
  };
  for (const auto& [text, problem] : cases) {
    try {
      ordered_json::parse(text).get<histogram>();
      ADD_FAILURE() << "accepted " << text;
    } catch (const input_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(problem)) << text;
    }
  }
}

TEST(histogram, unknown_keys_are_ignored) {
  const auto j = ordered_json::parse(
      R"({"digits":3,"unit":"ns","bins":[[5,1]],"overflow":0,"min":5,"max":5,"mean":5})");
  EXPECT_EQ(j.get<histogram>(), of({5}));
}

}  // namespace
}  // namespace bb
