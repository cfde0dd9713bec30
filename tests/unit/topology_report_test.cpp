#include "harness/topology_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology_files.hpp"

namespace bb {
namespace {

using testing::HasSubstr;

const std::string data = BB_SOURCE_DIR "/tests/data/topologies/";

TEST(TopologyReport, TreeAndPlans) {
  EXPECT_EQ(topology_text(load_topology("pack:2 [numa] l3:1(size=8388608) core:2 pu:2"), 3),
            R"(2 packages, 2 NUMA nodes, 2 L3 domains, 4 cores, 8 PUs, L3 8192 KiB

package 0
  L3 domain 0, NUMA node 0
    core 0  PU 0 1
    core 1  PU 2 3
package 1
  L3 domain 1, NUMA node 1
    core 2  PU 4 5
    core 3  PU 6 7

pin plans for 3 threads
  core     taskset -c 0,2,4  workers on 0 2 4
  compact  taskset -c 0-2  workers on 0 1 2
  spread   taskset -c 0,2,4  workers on 0 4 2
  numa     taskset -c 0-2  workers on 0 2 1
  l3       taskset -c 0-2  workers on 0 2 1
  pcore    --pin=pcore: hwloc sees no kinds of cores on this machine; use core, or list:...
  ecore    --pin=ecore: hwloc sees no kinds of cores on this machine; use core, or list:...
  none     taskset -c 0-7  workers not bound
)");
}

TEST(TopologyReport, KindsCoresAndOversubscription) {
  const auto hybrid = topology_text(load_topology(data + "hybrid-slow-cores-first.xml"), 7);
  EXPECT_THAT(hybrid, HasSubstr("core 0  IntelAtom  PU 0\n"));
  EXPECT_THAT(hybrid, HasSubstr("core 4  IntelCore  PU 8 9\n"));
  EXPECT_THAT(hybrid, HasSubstr("as hwloc sees them"));
  EXPECT_THAT(
      hybrid,
      HasSubstr("ecore    taskset -c 0,2,4,6  workers on 0 2 4 6 0 2 4  (oversubscribed)\n"));
  EXPECT_THAT(topology_text(load_topology(data + "no-core.xml"), 1),
              HasSubstr("which PUs share a core is not known"));
}

TEST(TopologyReport, Json) {
  const auto report = topology_json(load_topology("core:2 pu:2"), 2);
  EXPECT_EQ(report.at("pus").at(3).dump(),
            R"({"os_index":3,"logical":3,"core":1,"package":0,"numa_node":0,"l3":0,)"
            R"("smt_rank":1,"kind":null,"speed_rank":null})");
  EXPECT_EQ(report.at("plans").at(0).dump(),
            R"({"policy":"core","taskset":"0,2","oversubscribed":false,"planned":[0,2]})");
  EXPECT_THAT(report.at("plans").at(5).at("problem").get<std::string>(), HasSubstr("no kinds"));
  EXPECT_EQ(report.at("cores"), 2);
}

TEST(TopologyReport, EveryFileCanBeShown) {
  for (const auto& file : test::topology_files(false)) {
    const auto machine = load_topology(file.string());
    EXPECT_EQ(topology_json(machine, 4).at("pus").size(), machine.pus.size()) << file;
    const auto text = topology_text(machine, 4);
    EXPECT_EQ(std::ranges::count(text, '\n') > static_cast<long>(machine.cores()), true) << file;
  }
}

}  // namespace
}  // namespace bb
