#include "harness/clock.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bb {
namespace {

using nlohmann::ordered_json;

TEST(clock, now_advances_and_never_steps_back) {
  const auto begin = now_ns();
  auto last = begin;
  while (last - begin < 2'000'000) {
    const auto next = now_ns();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(clock, cpu_time_counts_work_and_not_sleep) {
  const auto begin = process_cpu_ns();
  const timespec nap{0, 30'000'000};
  nanosleep(&nap, nullptr);
  const auto slept = process_cpu_ns();
  EXPECT_LT(slept - begin, 15'000'000);
  while (process_cpu_ns() - slept < 5'000'000) {
  }
  EXPECT_GE(process_cpu_ns() - begin, 5'000'000);
}

TEST(clock, step_and_cost_are_those_of_a_usable_clock) {
  const auto clock = measure_clock();
  EXPECT_GT(clock.step_ns, 0);
  EXPECT_LT(clock.step_ns, 20e6);  // the coarsest clock source, jiffies at 100 Hz, steps by 10 ms
  EXPECT_GT(clock.cost_ns, 1);     // no read of a clock is faster
  EXPECT_LT(clock.cost_ns, 1e5);
}

TEST(min_batch, is_a_millisecond_or_a_thousand_errors) {
  EXPECT_EQ(min_batch_ns({{}, 1, 20}), 1'000'000u);
  EXPECT_EQ(min_batch_ns({{}, 1, 1500}), 1'500'000u);
  EXPECT_EQ(min_batch_ns({{}, 4e6, 20}), 4'000'000'000u);
  EXPECT_EQ(min_batch_ns({{}, 0, 0}), 1'000'000u);
  EXPECT_EQ(min_batch_ns({{}, 1e300, 0}), 1'000'000'000'000'000'000u);
}

TEST(clock, record_goes_through_json) {
  const clock_record named{"tsc", 12, 23.5}, unnamed{std::nullopt, 1, 40};
  EXPECT_EQ(ordered_json(named).dump(), R"({"source":"tsc","step_ns":12.0,"cost_ns":23.5})");
  EXPECT_EQ(ordered_json(unnamed).dump(), R"({"source":null,"step_ns":1.0,"cost_ns":40.0})");
  EXPECT_EQ(ordered_json(named).get<clock_record>(), named);
  EXPECT_EQ(ordered_json(unnamed).get<clock_record>(), unnamed);
}

}  // namespace
}  // namespace bb
