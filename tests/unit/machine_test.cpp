#include "harness/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "tests/unit/fake_root.hpp"

namespace bb {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string data = BB_SOURCE_DIR "/tests/data/topologies/";

void put_full_machine(test::fake_root& fake) {
  fake.put("/proc/cpuinfo",
           "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\nflags\t\t: fpu vme hypervisor "
           "sse2\n\nprocessor\t: 1");
  for (const auto* cpu : {"0", "1"}) {
    const auto folder = std::string("/sys/devices/system/cpu/cpu") + cpu + "/cpufreq/";
    fake.put(folder + "scaling_driver", "intel_pstate").put(folder + "scaling_min_freq", "800000");
    fake.put(folder + "scaling_governor", "powersave");
  }
  fake.put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3600000");
  fake.put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "5000000");
  fake.put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance");
  fake.put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  fake.put("/sys/devices/system/cpu/smt/active", "0");
  fake.put("/proc/sys/kernel/osrelease", "6.1.0-test");
  fake.put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
  fake.put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  fake.put("/proc/sys/kernel/randomize_va_space", "2")
      .put("/proc/sys/kernel/perf_event_paranoid", "3");
  fake.put("/proc/sys/kernel/io_uring_disabled", "0")
      .put("/proc/loadavg", "0.50 0.25 0.10 1/88 7245");
  fake.put("/proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB")
      .put("/sys/class/dmi/id/sys_vendor", "QEMU");
}

TEST(Machine, FullRecord) {
  test::fake_root fake;
  put_full_machine(fake);
  const cpu_budget budget{2, {0, 1}, 1.5};
  auto record =
      machine_record(load_topology("pack:1 l3:1(size=4194304) core:2 pu:1"), budget, fake.root());
  for (const auto* from_the_host : {"architecture", "libc", "page_bytes"}) {
    EXPECT_FALSE(record.at(from_the_host).is_null());
    record.erase(from_the_host);
  }
  EXPECT_EQ(record, nlohmann::ordered_json::parse(R"({
    "cpu": "Example CPU @ 3.00GHz",
    "packages": 1, "numa_nodes": 1, "l3_domains": 1, "cores": 2, "l3_bytes": 4194304, "kinds": [], "pus": 2,
    "allowed": "0-1", "quota": 1.5, "default_threads": 2,
    "governor": "performance+powersave", "scaling_driver": "intel_pstate", "min_mhz": 800, "max_mhz": 5000,
    "turbo": true, "smt": false,
    "kernel": "6.1.0-test", "clock_source": "tsc", "thp": "madvise", "aslr": 2,
    "perf_event_paranoid": 3, "io_uring_disabled": 0,
    "memory_bytes": 16777216, "load": [0.5, 0.25, 0.1], "virtualised": true, "hypervisor": "QEMU"})"));
}

TEST(Machine, WithoutProcAndSysAllIsNull) {
  const test::fake_root fake;
  const auto record = machine_record(load_topology(data + "no-core.xml"), {}, fake.root());
  for (const auto* key : {"cpu",
                          "cores",
                          "l3_bytes",
                          "allowed",
                          "quota",
                          "governor",
                          "scaling_driver",
                          "min_mhz",
                          "max_mhz",
                          "turbo",
                          "smt",
                          "kernel",
                          "clock_source",
                          "thp",
                          "aslr",
                          "perf_event_paranoid",
                          "io_uring_disabled",
                          "memory_bytes",
                          "load",
                          "virtualised",
                          "hypervisor"}) {
    EXPECT_TRUE(record.at(key).is_null()) << key;
  }
  EXPECT_EQ(record.at("pus"), 8);
  EXPECT_EQ(record.at("default_threads"), 1);
}

TEST(Machine, KindsAsHwlocSeesThem) {
  const test::fake_root fake;
  const auto record =
      machine_record(load_topology(data + "hybrid-slow-cores-first.xml"), {}, fake.root());
  EXPECT_EQ(record.at("kinds"), nlohmann::ordered_json::parse(R"([
    {"core_type": "IntelAtom", "efficiency": 0, "max_mhz": 3600, "pus": 4},
    {"core_type": "IntelCore", "efficiency": 1, "max_mhz": 5000, "pus": 4},
    {"core_type": "IntelCore", "efficiency": 2, "max_mhz": 5800, "pus": 2}])"));
}

TEST(Machine, NamesOfOtherArchitectures) {
  const auto machine = load_topology("core:1 pu:1");
  test::fake_root fake;
  fake.put("/proc/cpuinfo", "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c");
  EXPECT_EQ(machine_record(machine, {}, fake.root()).at("cpu"), "implementer 0x41 part 0xd0c");
  EXPECT_TRUE(machine_record(machine, {}, fake.root()).at("virtualised").is_null());
  fake.put("/proc/cpuinfo", "processor : 0\ncpu\t\t: POWER9 (raw), altivec supported");
  EXPECT_EQ(machine_record(machine, {}, fake.root()).at("cpu"), "POWER9 (raw), altivec supported");
}

TEST(Machine, BareMetalNamesNoHypervisor) {
  test::fake_root fake;
  put_full_machine(fake);
  fake.put("/proc/cpuinfo", "model name\t: X\nflags\t: fpu")
      .put("/sys/class/dmi/id/sys_vendor", "Some Maker");
  const auto record = machine_record(load_topology("core:1 pu:1"), {}, fake.root());
  EXPECT_EQ(record.at("virtualised"), false);
  EXPECT_TRUE(record.at("hypervisor").is_null());
}

TEST(Machine, XenNamesItself) {
  test::fake_root fake;
  fake.put("/sys/hypervisor/type", "xen");
  const auto record = machine_record(load_topology("core:1 pu:1"), {}, fake.root());
  EXPECT_EQ(record.at("virtualised"), true);
  EXPECT_EQ(record.at("hypervisor"), "xen");
}

TEST(Machine, TurboByTheGenericSwitch) {
  test::fake_root fake;
  fake.put("/sys/devices/system/cpu/cpufreq/boost", "0");
  EXPECT_EQ(machine_record(load_topology("core:1 pu:1"), {}, fake.root()).at("turbo"), false);
  fake.put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  fake.put("/sys/devices/system/cpu/cpufreq/boost", "1");
  EXPECT_EQ(machine_record(load_topology("core:1 pu:1"), {}, fake.root()).at("turbo"), false)
      << "intel_pstate decides";
}

TEST(Machine, HereNothingNamesTheHostTheUserOrAPath) {
  const auto text = machine_record(load_topology(), read_cpu_budget()).dump();
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  EXPECT_THAT(text, Not(HasSubstr(host.data())));
  EXPECT_THAT(text, Not(HasSubstr("\"/")));
  if (const char* user = std::getenv("USER")) {
    EXPECT_THAT(text, Not(HasSubstr('"' + std::string(user) + '"')));
  }
}

}  // namespace
}  // namespace bb
