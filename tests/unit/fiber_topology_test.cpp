#include "runtimes/fiber/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

using fiber::cpu_place;
using fiber::steal_order;
using fiber::steal_tier;
using fiber::steal_victim;
using fiber::tier_between;

// Plain descriptions of machines that differ in kind.
std::vector<cpu_place> two_sockets_smt() {  // 2 packages x 2 caches x 2 cores x 2 threads
  std::vector<cpu_place> places;
  for (int cpu = 0; cpu < 16; ++cpu) places.push_back({cpu, cpu % 4, cpu % 8 / 2, cpu % 8 / 4});
  return places;
}
std::vector<cpu_place> unknown_everything() { return {{0}, {1}, {2}}; }
std::vector<cpu_place> no_l3() {
  return {{0, 0, -1, 0}, {1, 0, -1, 0}, {2, 1, -1, 0}, {3, 1, -1, 1}};
}

class FiberStealOrder : public ::testing::TestWithParam<std::vector<cpu_place>> {};

TEST_P(FiberStealOrder, VisitsEveryOtherOnceNearestFirst) {
  const auto& places = GetParam();
  for (std::uint32_t thief = 0; thief < places.size(); ++thief) {
    const auto order = steal_order(places, thief, 7);
    std::set<std::uint32_t> seen;
    for (const steal_victim& each : order) {
      EXPECT_NE(each.index, thief);
      EXPECT_TRUE(seen.insert(each.index).second);
      EXPECT_EQ(each.tier, tier_between(places[thief], places[each.index]));
    }
    EXPECT_EQ(seen.size(), places.size() - 1);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end(),
                               [](auto& a, auto& b) { return a.tier < b.tier; }));
  }
}

TEST_P(FiberStealOrder, IsPure) {
  const auto& places = GetParam();
  EXPECT_EQ(steal_order(places, 0, 42), steal_order(places, 0, 42));
}

INSTANTIATE_TEST_SUITE_P(Machines, FiberStealOrder,
                         ::testing::Values(two_sockets_smt(), unknown_everything(), no_l3(),
                                           std::vector<cpu_place>{{3, 0, 0, 0}}));

TEST(FiberTopology, TiersFollowTheMachine) {
  const auto places = two_sockets_smt();
  EXPECT_EQ(tier_between(places[0], places[8]), steal_tier::smt_sibling);
  EXPECT_EQ(tier_between(places[0], places[1]), steal_tier::same_l3);
  EXPECT_EQ(tier_between(places[0], places[2]), steal_tier::same_package);
  EXPECT_EQ(tier_between(places[0], places[4]), steal_tier::other_package);
}

TEST(FiberTopology, EqualCoreNumbersOnDifferentDiesAreNotSiblings) {
  EXPECT_EQ(tier_between({0, 5, 0, 0}, {1, 5, 1, 0}), steal_tier::same_package);
}

TEST(FiberTopology, ThievesStartAtDifferentVictims) {
  std::vector<cpu_place> flat;
  for (int cpu = 0; cpu < 32; ++cpu) flat.push_back({cpu, cpu, 0, 0});
  std::set<std::uint32_t> first;
  for (std::uint32_t thief = 0; thief < 32; ++thief)
    first.insert(steal_order(flat, thief, 1).front().index);
  EXPECT_GT(first.size(), 10u);
}

TEST(FiberTopology, ReadsSysfs) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(::testing::TempDir()) / "fiber_sysfs";
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text << '\n';
  };
  write("cpu4/topology/core_id", "2");
  write("cpu4/topology/physical_package_id", "1");
  write("cpu4/cache/index0/level", "1");
  write("cpu4/cache/index1/level", "3");
  write("cpu4/cache/index1/shared_cpu_list", "4-7,12");
  const int cpus[] = {4, 6};
  const auto places = fiber::read_places(cpus, root.string());
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].cpu, 4);
  EXPECT_EQ(places[0].core, 2);
  EXPECT_EQ(places[0].package, 1);
  EXPECT_EQ(places[0].l3, 4);
  EXPECT_EQ(places[1].cpu, 6);
  EXPECT_EQ(places[1].core, -1);
  fs::remove_all(root);
}

TEST(FiberTopology, AllowedCpusAreThoseOfTheProcess) {
  const auto cpus = fiber::allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(cpus.size(), static_cast<std::size_t>(CPU_COUNT(&set)));
}

}  // namespace
