#include "harness/cpu_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cgroup.hpp"
#include "harness/cpu_mask.hpp"
#include "tests/unit/fake_root.hpp"

namespace bb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CpuBudget : public testing::Test {
 protected:
  test::fake_root fake;

  void online(const std::string& list) { fake.put("/sys/devices/system/cpu/online", list); }
  void mask(const std::string& list) {
    fake.put("/proc/self/status", "Name:\tbb\nCpus_allowed:\tff\nCpus_allowed_list:\t" + list);
  }

  /// Version 2, mounted whole, the process in `path`.
  void cgroup2(const std::string& path, const std::string& mounted_part = "/") {
    fake.put("/proc/self/cgroup", "0::" + path);
    fake.put("/proc/self/mountinfo",
             "20 1 0:18 / /proc rw - proc proc rw\n30 23 0:26 " + mounted_part +
                 " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate");
  }
  void max(const std::string& level, const std::string& text) {
    fake.put("/sys/fs/cgroup" + level + "/cpu.max", text);
  }

  void cgroup1(const std::string& path) {
    fake.put("/proc/self/cgroup",
             "5:memory:/elsewhere\n4:cpu,cpuacct:" + path + "\n1:name=systemd:/x");
    fake.put("/proc/self/mountinfo",
             "31 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "32 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct");
  }
  void quota1(const std::string& level, const std::string& quota, const std::string& period) {
    const auto folder = "/sys/fs/cgroup/cpu,cpuacct" + level;
    fake.put(folder + "/cpu.cfs_quota_us", quota).put(folder + "/cpu.cfs_period_us", period);
  }

  [[nodiscard]] cpu_budget budget() const { return read_cpu_budget(fake.root()); }
};

TEST_F(CpuBudget, NothingKnownIsOneThread) {
  EXPECT_EQ(budget().threads(), 1u);
  EXPECT_EQ(budget().quota, std::nullopt);
  EXPECT_THAT(budget().allowed, IsEmpty());
}

TEST_F(CpuBudget, HardwareAlone) {
  online("0-15");
  EXPECT_EQ(budget().threads(), 16u);
}

TEST_F(CpuBudget, MaskAloneAsInSandboxesWithoutSys) {
  mask("0-3");
  EXPECT_EQ(budget().threads(), 4u);
  EXPECT_EQ(budget().hardware, 4u);
}

TEST_F(CpuBudget, CpusetThatDoesNotStartAtZero) {
  online("0-7");
  mask("1,3");
  EXPECT_EQ(budget().threads(), 2u);
  EXPECT_THAT(budget().allowed, ElementsAre(1, 3));
}

TEST_F(CpuBudget, OfflineCpusInTheMaskDoNotCount) {
  online("0,2-3");
  mask("0-7");
  EXPECT_THAT(budget().allowed, ElementsAre(0, 2, 3));
  EXPECT_EQ(budget().threads(), 3u);
}

TEST_F(CpuBudget, QuotaIsRoundedUp) {
  online("0-63");
  mask("0-63");
  cgroup2("/box");
  max("/box", "150000 100000");
  EXPECT_DOUBLE_EQ(*budget().quota, 1.5);
  EXPECT_EQ(budget().threads(), 2u);
  max("/box", "100000 100000");
  EXPECT_EQ(budget().threads(), 1u);
  max("/box", "5000 100000");
  EXPECT_EQ(budget().threads(), 1u);
  max("/box", "9900000 100000");
  EXPECT_EQ(budget().threads(), 64u);
}

TEST_F(CpuBudget, EveryLevelOfTheTreeBinds) {
  online("0-15");
  cgroup2("/a/b/c");
  max("/a/b/c", "max 100000");
  max("/a/b", "800000 100000");
  max("/a", "300000 100000");
  EXPECT_DOUBLE_EQ(*budget().quota, 3.0);
  EXPECT_THAT(find_cgroup_levels(fake.root()).v2,
              ElementsAre("/sys/fs/cgroup/a/b/c", "/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a",
                          "/sys/fs/cgroup"));
}

TEST_F(CpuBudget, UnlimitedIsNoQuota) {
  online("0-1");
  cgroup2("/");
  max("", "max 100000");
  EXPECT_EQ(budget().quota, std::nullopt);
  EXPECT_EQ(budget().threads(), 2u);
}

TEST_F(CpuBudget, ContainerWithoutItsOwnNamespace) {
  cgroup2("/docker/1234/inner", "/docker/1234");
  max("", "250000 100000");
  EXPECT_DOUBLE_EQ(*budget().quota, 2.5);
  EXPECT_THAT(find_cgroup_levels(fake.root()).v2,
              ElementsAre("/sys/fs/cgroup/inner", "/sys/fs/cgroup"));
}

TEST_F(CpuBudget, PathsOutsideOfTheMountMeanItsTop) {
  for (const auto* path : {"/other", "/docker/12345", "/../sibling"}) {
    cgroup2(path, path[1] == '.' ? "/" : "/docker/1234");
    EXPECT_THAT(find_cgroup_levels(fake.root()).v2, ElementsAre("/sys/fs/cgroup")) << path;
  }
}

TEST_F(CpuBudget, VersionOne) {
  online("0-7");
  cgroup1("/slice/job");
  quota1("/slice/job", "-1", "100000");
  quota1("/slice", "350000", "100000");
  quota1("", "-1", "100000");
  EXPECT_DOUBLE_EQ(*budget().quota, 3.5);
  EXPECT_EQ(budget().threads(), 4u);
}

TEST_F(CpuBudget, BothVersionsAtOnceTheTighterOneBinds) {
  fake.put("/proc/self/cgroup", "1:cpu:/one\n0::/two");
  fake.put("/proc/self/mountinfo",
           "1 0 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
           "2 0 0:2 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
  fake.put("/sys/fs/cgroup/cpu/one/cpu.cfs_quota_us", "400000");
  fake.put("/sys/fs/cgroup/cpu/one/cpu.cfs_period_us", "100000");
  fake.put("/sys/fs/cgroup/unified/two/cpu.max", "500000 100000");
  EXPECT_DOUBLE_EQ(*budget().quota, 4.0);
}

TEST_F(CpuBudget, MountPointsWithBlanks) {
  fake.put("/proc/self/cgroup", "0::/");
  fake.put("/proc/self/mountinfo", "2 0 0:2 / /my\\040groups rw - cgroup2 cgroup2 rw");
  fake.put("/my groups/cpu.max", "100000 50000");
  EXPECT_DOUBLE_EQ(*budget().quota, 2.0);
}

TEST_F(CpuBudget, NonsenseIsNoQuota) {
  cgroup2("/");
  for (const auto* text : {"", "max", "0 100000", "100000 0", "-5 100000", "abc def", "1 2 3"}) {
    max("", text);
    EXPECT_EQ(budget().quota, std::nullopt) << text;
  }
  fake.put("/proc/self/mountinfo", "garbage\n- - -\n1 2 3 4 5 6 -");
  EXPECT_THAT(find_cgroup_levels(fake.root()).v2, IsEmpty());
}

TEST_F(CpuBudget, ThrottlingIsSummedOverTheTree) {
  cgroup2("/a");
  fake.put("/sys/fs/cgroup/a/cpu.stat",
           "usage_usec 9\nnr_periods 10\nnr_throttled 3\nthrottled_usec 4500");
  fake.put("/sys/fs/cgroup/cpu.stat", "usage_usec 9\nnr_throttled 2\nthrottled_usec 500");
  const auto throttling = read_cpu_throttling(fake.root());
  ASSERT_TRUE(throttling);
  EXPECT_EQ(throttling->times, 5u);
  EXPECT_EQ(throttling->microseconds, 5000u);
}

TEST_F(CpuBudget, ThrottlingOfVersionOneIsInNanoseconds) {
  cgroup1("/");
  fake.put("/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
           "nr_periods 10\nnr_throttled 3\nthrottled_time 7000000");
  EXPECT_EQ(read_cpu_throttling(fake.root())->microseconds, 7000u);
}

TEST_F(CpuBudget, GroupsWithoutAQuotaTellNothing) {
  cgroup2("/");
  fake.put("/sys/fs/cgroup/cpu.stat", "usage_usec 9\nuser_usec 5");
  EXPECT_FALSE(read_cpu_throttling(fake.root()));
}

TEST(CpuBudgetHere, AgreesWithTheAffinityMask) {
  const auto budget = read_cpu_budget();
  EXPECT_EQ(budget.allowed, get_affinity(0));
  EXPECT_GE(budget.threads(), 1u);
  EXPECT_LE(budget.threads(), budget.allowed.size());
}

}  // namespace
}  // namespace bb
