#include "harness/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "harness/cpu_mask.hpp"
#include "harness/error.hpp"
#include "tests/unit/topology_files.hpp"

namespace bb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string data = BB_SOURCE_DIR "/tests/data/topologies/";

std::vector<unsigned> column(const topology& machine, unsigned processor::*field) {
  std::vector<unsigned> values;
  for (const auto& pu : machine.pus) values.push_back(pu.*field);
  return values;
}

/// The refusal of a source, with a check that hwloc itself printed nothing beside it.
std::string refusal_of(const std::string& source) {
  testing::internal::CaptureStderr();
  std::string sentence = "accepted";
  try {
    (void)load_topology(source);
  } catch (const input_error& refused) {
    EXPECT_EQ(refused.exit_code(), 3);
    sentence = refused.what();
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
  EXPECT_THAT(sentence, Not(HasSubstr("\n")));
  return sentence;
}

TEST(Topology, SyntheticCountsAndPlaces) {
  const auto machine = load_topology("pack:2 [numa] l3:2 core:2 pu:2");
  EXPECT_EQ(machine.pus.size(), 16u);
  EXPECT_EQ(machine.cores(), 8u);
  EXPECT_EQ(machine.packages(), 2u);
  EXPECT_EQ(machine.numa_nodes(), 2u);
  EXPECT_EQ(machine.l3_domains(), 4u);
  EXPECT_TRUE(machine.has_cores);
  EXPECT_FALSE(machine.this_machine);
  EXPECT_FALSE(machine.hybrid());
  const processor expected{5, 5, 2, 0, 0, 1, 1, -1, -1};
  EXPECT_EQ(machine.pus[5], expected);
}

TEST(Topology, SmtRankIsCountedPerCoreNotByNumber) {
  const auto machine = load_topology(data + "smt-split-numbers.xml");
  EXPECT_THAT(column(machine, &processor::os_index),
              ElementsAre(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  EXPECT_THAT(column(machine, &processor::smt_rank),
              ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_EQ(machine.l3_bytes, 8u << 20);
}

TEST(Topology, SecondSiblingBecomesFirstWhenTheFirstIsNotAllowed) {
  const auto machine = load_topology(data + "second-siblings-only.xml");
  EXPECT_THAT(column(machine, &processor::os_index), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(column(machine, &processor::smt_rank), ElementsAre(0, 0, 0, 0));
}

TEST(Topology, DisallowedPusAreLeftOut) {
  const auto machine = load_topology(data + "disallowed.xml");
  EXPECT_THAT(column(machine, &processor::os_index), ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(column(machine, &processor::logical), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(machine.find(0), nullptr);
  EXPECT_EQ(machine.find(4)->core, 2u);
}

TEST(Topology, WithoutCoresEachPuIsItsOwn) {
  const auto machine = load_topology(data + "no-core.xml");
  EXPECT_FALSE(machine.has_cores);
  EXPECT_EQ(machine.cores(), 8u);
  EXPECT_THAT(column(machine, &processor::smt_rank), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(machine.l3_domains(), 2u) << "no cache known: the package stands in";
}

TEST(Topology, BoostedCoresOfOneTypeAreOneSpeedClass) {
  const auto machine = load_topology(data + "hybrid-slow-cores-first.xml");
  ASSERT_EQ(machine.kinds.size(), 3u);
  EXPECT_EQ(machine.kinds[0], (cpu_kind{0, "IntelAtom", 3600}));
  EXPECT_TRUE(machine.hybrid());
  std::vector<int> ranks;
  for (const auto& pu : machine.pus) ranks.push_back(pu.speed_rank);
  EXPECT_THAT(ranks, ElementsAre(0, 0, 0, 0, 2, 2, 2, 2, 2, 2));
}

TEST(Topology, MemoryAbovePackagesIsFound) {
  const auto machine = load_topology(data + "package-in-numa.xml");
  EXPECT_EQ(machine.numa_nodes(), 2u);
  EXPECT_EQ(machine.packages(), 4u);
  EXPECT_EQ(machine.find(15)->numa_node, 1u);
}

TEST(Topology, SharedL2StandsInForAMissingL3) {
  EXPECT_EQ(load_topology("pack:1 l2:4 core:2 pu:2").l3_domains(), 4u);
  EXPECT_EQ(load_topology("pack:2 l2:4 core:1 pu:2").l3_domains(), 2u)
      << "a private L2 joins nobody";
}

TEST(Topology, RefusesHwloc3WithTheReason) {
  EXPECT_THAT(refusal_of(data + "v3_must-be-refused.xml"),
              AllOf(HasSubstr("version 3"), HasSubstr("--export-xml-flags v2")));
}

TEST(Topology, RefusesWhatIsNoTopology) {
  EXPECT_THAT(refusal_of(data + "damaged_must-be-refused.xml"), HasSubstr("damaged or cut short"));
  EXPECT_THAT(refusal_of(data + "not-hwloc_must-be-refused.xml"),
              HasSubstr("not an hwloc XML file"));
  EXPECT_THAT(refusal_of(data + "empty_must-be-refused.xml"), HasSubstr("not an hwloc XML file"));
  EXPECT_THAT(refusal_of(data + "missing.xml"), HasSubstr("neither a file nor a description"));
  EXPECT_THAT(refusal_of(data), HasSubstr("cannot be read: Is a directory"));
  EXPECT_THAT(refusal_of("/dev/zero"), HasSubstr("above 64 MiB"));
  for (const auto* text : {"", "pack:2 core:x", "foo", "pack:-1", "pack:0 core:0 pu:0", ":"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("neither a file nor a description")) << text;
  }
}

TEST(Topology, RefusesMonstersBeforeBuildingThem) {
  EXPECT_THAT(refusal_of("core:1000000 pu:100"), HasSubstr("more than 65536"));
  EXPECT_THAT(refusal_of("core:99999999999999999999999"), HasSubstr("more than 65536"));
  EXPECT_THAT(refusal_of("pack:4096 core:4096 pu:4096"), HasSubstr("more than 65536"));
}

TEST(Topology, ThisMachineKeepsToTheAffinityMask) {
  const auto before = get_affinity(0);
  ASSERT_TRUE(before);
  const auto all = load_topology();
  EXPECT_TRUE(all.this_machine);
  auto numbers = all.os_indexes();
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, *before);
  ASSERT_TRUE(set_affinity(0, {before->back()}));
  const auto one = load_topology();
  ASSERT_TRUE(set_affinity(0, *before));
  EXPECT_THAT(column(one, &processor::os_index), ElementsAre(before->back()));
}

TEST(Topology, AnotherMachineInTheEnvironmentIsNotTakenForThisOne) {
  ::setenv("HWLOC_SYNTHETIC", "pack:2 core:64 pu:2", 1);
  EXPECT_THROW((void)load_topology(), input_error);
  ::unsetenv("HWLOC_SYNTHETIC");
}

class TopologyFile : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(TopologyFile, IsConsistent) {
  const auto machine = load_topology(GetParam().string());
  ASSERT_FALSE(machine.pus.empty());
  std::set<unsigned> numbers;
  std::set<std::pair<unsigned, unsigned>> seats;
  for (std::size_t i = 0; i < machine.pus.size(); ++i) {
    const auto& pu = machine.pus[i];
    EXPECT_EQ(pu.logical, i);
    EXPECT_TRUE(numbers.insert(pu.os_index).second) << "PU " << pu.os_index << " twice";
    EXPECT_TRUE(seats.emplace(pu.core, pu.smt_rank).second)
        << "two PUs on one seat of core " << pu.core;
    EXPECT_TRUE(pu.smt_rank == 0 || seats.contains({pu.core, pu.smt_rank - 1}))
        << "a gap in core " << pu.core;
    EXPECT_LT(pu.core, machine.cores());
    EXPECT_LT(pu.package, machine.packages());
    EXPECT_LT(pu.l3, machine.l3_domains());
    EXPECT_LT(pu.kind, static_cast<int>(machine.kinds.size()));
  }
  EXPECT_EQ(machine, load_topology(GetParam().string())) << "not deterministic";
}

INSTANTIATE_TEST_SUITE_P(All, TopologyFile, testing::ValuesIn(test::topology_files(false)),
                         test::file_label);

class RefusedFile : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RefusedFile, IsRefusedInOneSentence) {
  const auto sentence = refusal_of(GetParam().string());
  EXPECT_THAT(sentence, HasSubstr(GetParam().filename().string()));
  if (GetParam().filename().string().starts_with("v3")) {
    EXPECT_THAT(sentence, HasSubstr("lstopo --of xml --export-xml-flags v2"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RefusedFile, testing::ValuesIn(test::topology_files(true)),
                         test::file_label);

}  // namespace
}  // namespace bb
