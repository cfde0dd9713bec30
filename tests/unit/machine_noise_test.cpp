#include "harness/machine_noise.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/fake_root.hpp"

namespace bb {
namespace {

TEST(MachineNoise, StealIsTheEighthCounterInTicks) {
  test::fake_root fake;
  fake.put("/proc/stat", "cpu  3672 1 2594 113630 384 2 71 60 5 0\ncpu0 1 2 3 4 5 6 7 8 9 10");
  const auto tick_us = 1'000'000u / static_cast<unsigned>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(sample_machine_noise(fake.root()), (machine_noise{60u * tick_us, {}, {}}));
}

TEST(MachineNoise, OldOrMissingStatIsUnknown) {
  test::fake_root fake;
  EXPECT_EQ(sample_machine_noise(fake.root()), machine_noise{});
  for (const auto* text : {"", "cpu 1 2 3 4", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2 3 4 5 6 7 x"}) {
    fake.put("/proc/stat", text);
    EXPECT_EQ(sample_machine_noise(fake.root()).steal_us, std::nullopt) << text;
  }
}

TEST(MachineNoise, ThrottlingOfTheCgroups) {
  test::fake_root fake;
  fake.put("/proc/self/cgroup", "0::/");
  fake.put("/proc/self/mountinfo", "2 0 0:2 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  fake.put("/sys/fs/cgroup/cpu.stat", "nr_throttled 4\nthrottled_usec 1234");
  EXPECT_EQ(sample_machine_noise(fake.root()), (machine_noise{{}, 1234, 4}));
}

TEST(MachineNoise, DifferenceOfTwoSamples) {
  const machine_noise before{100, 50, 7}, after{400, 50, 9}, blind{};
  EXPECT_EQ(after - before, (machine_noise{300, 0, 2}));
  EXPECT_EQ(before - after, (machine_noise{0, 0, 0})) << "never negative: the group was made anew";
  EXPECT_EQ(after - blind, blind);
  EXPECT_EQ(blind - after, blind);
}

TEST(MachineNoise, JsonHasNullForUnknown) {
  EXPECT_EQ(to_json(machine_noise{5, {}, 0}).dump(),
            R"({"steal_us":5,"throttled_us":null,"nr_throttled":0})");
}

}  // namespace
}  // namespace bb
