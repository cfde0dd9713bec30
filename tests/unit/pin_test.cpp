#include "harness/pin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/error.hpp"
#include "tests/unit/topology_files.hpp"

namespace bb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string data = BB_SOURCE_DIR "/tests/data/topologies/";

pin_plan plan_of(const std::string& source, std::string_view policy, unsigned threads) {
  return make_pin_plan(load_topology(source), parse_pin_policy(policy), threads);
}

std::string refusal_of(const std::string& source, std::string_view policy) {
  try {
    (void)plan_of(source, policy, 1);
  } catch (const usage_error& refused) {
    EXPECT_EQ(refused.exit_code(), 2);
    return refused.what();
  }
  return "accepted";
}

TEST(Pin, CoreTakesSiblingsLast) {
  EXPECT_THAT(plan_of(data + "smt-split-numbers.xml", "core", 16).pus,
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_THAT(plan_of(data + "smt-adjacent-numbers.xml", "core", 16).pus,
              ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
}

TEST(Pin, CompactKeepsSiblingsTogether) {
  EXPECT_THAT(plan_of(data + "smt-split-numbers.xml", "compact", 5).pus,
              ElementsAre(0, 8, 1, 9, 2));
}

TEST(Pin, SpreadAlternatesBetweenTheLargestUnits) {
  EXPECT_THAT(plan_of(data + "smt-split-numbers.xml", "spread", 10).pus,
              ElementsAre(0, 4, 1, 5, 2, 6, 3, 7, 8, 12));
  EXPECT_THAT(plan_of(data + "numa-in-package.xml", "spread", 8).pus,
              ElementsAre(0, 8, 4, 12, 2, 10, 6, 14));
  EXPECT_THAT(plan_of(data + "package-in-numa.xml", "spread", 4).pus, ElementsAre(0, 8, 4, 12));
}

TEST(Pin, NumaAndL3FillOneDomainBeforeTheNext) {
  EXPECT_THAT(plan_of(data + "smt-split-numbers.xml", "numa", 9).pus,
              ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 4));
  EXPECT_THAT(plan_of("pack:1 l3:2 core:2 pu:2", "l3", 8).pus, ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

TEST(Pin, FastCoresFirstTheirSiblingsLast) {
  const auto file = data + "hybrid-slow-cores-first.xml";
  EXPECT_THAT(plan_of(file, "core", 10).pus, ElementsAre(8, 10, 12, 0, 2, 4, 6, 9, 11, 13));
  EXPECT_THAT(plan_of(file, "pcore", 6).pus, ElementsAre(8, 10, 12, 9, 11, 13));
  EXPECT_THAT(plan_of(file, "ecore", 4).pus, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(plan_of(file, "spread", 4).pus, ElementsAre(8, 10, 12, 0));
}

TEST(Pin, AsymmetricMachinesLoseNoPu) {
  EXPECT_THAT(plan_of(data + "offline.xml", "core", 10).pus,
              ElementsAre(2, 4, 7, 10, 12, 14, 5, 11, 13, 2));
}

TEST(Pin, ListsArePhysicalUnlessMarked) {
  const auto file = data + "smt-split-numbers.xml";
  EXPECT_THAT(plan_of(file, "list:9,1-3", 4).pus, ElementsAre(9, 1, 2, 3));
  EXPECT_THAT(plan_of(file, "list:0-10:5", 3).pus, ElementsAre(0, 5, 10));
  EXPECT_THAT(plan_of(file, "list:L#0-3", 4).pus, ElementsAre(0, 8, 1, 9));
  EXPECT_EQ(plan_of(file, "list:L#0-3", 4).policy, "list:L#0-3");
}

TEST(Pin, NoneBindsNothingButCounts) {
  const auto plan = plan_of("core:4 pu:1", "none", 6);
  EXPECT_THAT(plan.pus, IsEmpty());
  EXPECT_FALSE(plan.binds());
  EXPECT_TRUE(plan.oversubscribed);
  EXPECT_EQ(plan.threads, 6u);
  EXPECT_EQ(plan.taskset(), "0-3");
}

TEST(Pin, MoreThreadsThanPusWrapRound) {
  const auto plan = plan_of("core:2 pu:2", "core", 6);
  EXPECT_THAT(plan.pus, ElementsAre(0, 2, 1, 3, 0, 2));
  EXPECT_TRUE(plan.oversubscribed);
  EXPECT_FALSE(plan_of("core:2 pu:2", "core", 4).oversubscribed);
  EXPECT_TRUE(plan_of("core:2 pu:2", "list:3", 2).oversubscribed);
}

TEST(Pin, TasksetLineIsTheUnion) {
  EXPECT_EQ(plan_of(data + "smt-split-numbers.xml", "core", 4).taskset(), "0-3");
  EXPECT_EQ(plan_of(data + "smt-split-numbers.xml", "compact", 4).taskset(), "0-1,8-9");
}

TEST(Pin, NamesAndAliases) {
  for (const auto* name : {"core", "compact", "spread", "numa", "l3", "pcore", "ecore", "none"}) {
    EXPECT_EQ(parse_pin_policy(name).text, name);
    EXPECT_THAT(pin_policy_names(), HasSubstr(name));
  }
  EXPECT_EQ(parse_pin_policy("scatter"), parse_pin_policy("spread"));
  EXPECT_EQ(parse_pin_policy("ccx"), parse_pin_policy("l3"));
  EXPECT_EQ(parse_pin_policy("list:3,1").text, "list:3,1");
}

TEST(Pin, RefusalsNameTheWrongPartAndWhatWouldDo) {
  EXPECT_THAT(
      refusal_of("core:4 pu:1", "sprad"),
      AllOf(HasSubstr("'sprad'"), HasSubstr("mean 'spread'"), HasSubstr("core, compact, spread")));
  EXPECT_THAT(refusal_of("core:4 pu:1", ""), HasSubstr("core, compact, spread"));
  EXPECT_THAT(refusal_of("core:4 pu:1", "Core"), HasSubstr("'Core'"));
  EXPECT_THAT(refusal_of("core:4 pu:1", "list:0,q"), HasSubstr("'q'"));
  EXPECT_THAT(refusal_of("core:4 pu:1", "list:"), HasSubstr("names no CPU"));
  EXPECT_THAT(refusal_of("core:4 pu:1", "list:L#"), HasSubstr("names no CPU"));
  EXPECT_THAT(refusal_of("core:4 pu:1", "list:3-5"), AllOf(HasSubstr("CPU 4"), HasSubstr("(0-3)")));
  EXPECT_THAT(refusal_of("core:4 pu:1", "list:L#9"), AllOf(HasSubstr("L#9"), HasSubstr("L#0-3")));
  EXPECT_THAT(refusal_of(data + "disallowed.xml", "list:0"),
              AllOf(HasSubstr("CPU 0"), HasSubstr("(1,3-4,6)")));
  EXPECT_THAT(refusal_of("core:4 pu:1", "pcore"), HasSubstr("no kinds of cores"));
  EXPECT_THAT(refusal_of("core:4 pu:1", "ecore"), HasSubstr("no kinds of cores"));
}

// Properties, over every topology file x every policy x 1..2x PUs (all counts up to 64 PUs, a
// selection above).

class PinProperties : public testing::TestWithParam<std::filesystem::path> {
 protected:
  topology machine = load_topology(GetParam().string());

  [[nodiscard]] std::vector<std::string> policies() const {
    std::vector<std::string> all{"core", "compact", "spread", "scatter", "numa",
                                 "l3",   "ccx",     "none",   "list:L#0"};
    if (machine.hybrid()) all.insert(all.end(), {"pcore", "ecore"});
    all.push_back("list:" + make_pin_plan(machine, parse_pin_policy("none"), 1).taskset());
    return all;
  }

  [[nodiscard]] std::vector<unsigned> thread_counts() const {
    const auto pus = static_cast<unsigned>(machine.pus.size());
    std::vector<unsigned> counts;
    const unsigned step = pus <= 64 ? 1 : pus / 13;
    for (unsigned threads = 1; threads < 2 * pus; threads += step) counts.push_back(threads);
    counts.insert(counts.end(), {pus, pus + 1, 2 * pus});
    return counts;
  }
};

void expect_each_before_any_again(const pin_plan& plan) {
  std::map<unsigned, unsigned> uses;
  for (std::size_t worker = 0; worker < plan.pus.size(); ++worker) {
    EXPECT_EQ(uses[plan.pus[worker]]++, worker / plan.allowed.size()) << "worker " << worker;
  }
}

TEST_P(PinProperties, HoldForAllPolicies) {
  for (const auto& name : policies()) {
    const auto policy = parse_pin_policy(name);
    for (const unsigned threads : thread_counts()) {
      SCOPED_TRACE(name + " x " + std::to_string(threads));
      const auto plan = make_pin_plan(machine, policy, threads);
      EXPECT_EQ(plan, make_pin_plan(machine, policy, threads)) << "not deterministic";
      EXPECT_EQ(plan.pus.size(), name == "none" ? 0 : threads);
      EXPECT_EQ(plan.oversubscribed, threads > plan.allowed.size());
      for (const unsigned pu : plan.pus)
        EXPECT_NE(machine.find(pu), nullptr) << "PU " << pu << " is not allowed";
      expect_each_before_any_again(plan);
    }
  }
}

TEST_P(PinProperties, MorePlacesNeverMoveTheFirstOnes) {
  for (const auto& name : policies()) {
    const auto whole = make_pin_plan(machine, parse_pin_policy(name), 2 * machine.pus.size());
    const auto half = make_pin_plan(machine, parse_pin_policy(name), machine.pus.size());
    if (!whole.binds()) continue;
    EXPECT_THAT(half.pus, ElementsAreArray(whole.pus.begin(), whole.pus.begin() + half.pus.size()))
        << name;
  }
}

TEST_P(PinProperties, CoreUsesEveryCoreBeforeAnySibling) {
  for (const auto* name : {"core", "spread"}) {
    const auto plan = make_pin_plan(machine, parse_pin_policy(name), machine.pus.size());
    unsigned rank = 0;
    for (const unsigned pu : plan.pus) {
      EXPECT_GE(machine.find(pu)->smt_rank, rank) << name << ": PU " << pu;
      rank = machine.find(pu)->smt_rank;
    }
    std::set<unsigned> cores;
    for (unsigned i = 0; i < machine.cores(); ++i) cores.insert(machine.find(plan.pus[i])->core);
    EXPECT_EQ(cores.size(), machine.cores()) << name;
  }
}

TEST_P(PinProperties, CoreTakesFastCoresFirst) {
  const auto plan = make_pin_plan(machine, parse_pin_policy("core"), machine.cores());
  int rank = machine.top_speed_rank();
  for (const unsigned pu : plan.pus) {
    if (machine.find(pu)->smt_rank > 0) break;
    EXPECT_LE(machine.find(pu)->speed_rank, rank) << "PU " << pu;
    rank = machine.find(pu)->speed_rank;
  }
}

TEST_P(PinProperties, DomainsAreFilledOneByOne) {
  for (const auto& [name, field] :
       {std::pair{"numa", &processor::numa_node}, std::pair{"l3", &processor::l3}}) {
    const auto plan = make_pin_plan(machine, parse_pin_policy(name), machine.pus.size());
    std::set<unsigned> left;
    unsigned here = machine.find(plan.pus.front())->*field;
    for (const unsigned pu : plan.pus) {
      const unsigned domain = machine.find(pu)->*field;
      if (domain != here) left.insert(std::exchange(here, domain));
      EXPECT_FALSE(left.contains(domain)) << name << " comes back to " << domain;
    }
  }
}

TEST_P(PinProperties, SpreadReachesEveryLargestUnitFirst) {
  if (machine.hybrid()) return;
  using level = unsigned processor::*;
  const auto distinct = [&](const std::vector<unsigned>& pus, level where) {
    std::set<unsigned> units;
    for (const unsigned pu : pus) units.insert(machine.find(pu)->*where);
    return units.size();
  };
  const auto all = machine.os_indexes();
  const bool numa_above = distinct(all, &processor::numa_node) < distinct(all, &processor::package);
  const level largest = numa_above ? &processor::numa_node : &processor::package;
  const auto units = static_cast<unsigned>(distinct(all, largest));
  const auto plan = make_pin_plan(machine, parse_pin_policy("spread"), units);
  EXPECT_EQ(distinct(plan.pus, largest), units);
}

INSTANTIATE_TEST_SUITE_P(All, PinProperties, testing::ValuesIn(test::topology_files(false)),
                         test::file_label);

}  // namespace
}  // namespace bb
