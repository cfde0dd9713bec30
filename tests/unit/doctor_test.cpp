#include "harness/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/fake_root.hpp"

namespace bb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto ok = finding_state::ok;
constexpr auto warn = finding_state::warn;
constexpr auto unknown = finding_state::unknown;

class Doctor : public testing::Test {
 protected:
  test::fake_root fake;

  /// With a mask, so that the CPUs 0 to 3 are the allowed ones.
  Doctor() { status(""); }

  void status(const std::string& more) {
    fake.put("/proc/self/status", "Name:\tbb\nCpus_allowed_list:\t0-3\n" + more);
    fake.put("/sys/devices/system/cpu/online", "0-7");
  }

  [[nodiscard]] finding look_at(const std::string& id, bool debug_build = false) const {
    for (const auto& found : examine_machine(debug_build, fake.root())) {
      if (found.id == id) return found;
    }
    ADD_FAILURE() << "no finding " << id;
    return {};
  }

  void expect(const std::string& id, finding_state state, const std::string& value_part) const {
    const auto found = look_at(id);
    EXPECT_EQ(found.state, state) << id << ": " << found.value;
    EXPECT_THAT(found.value, HasSubstr(value_part)) << id;
    EXPECT_EQ(found.why.empty(), state == ok) << id << ": " << found.why;
    EXPECT_EQ(found.remedy.empty(), state != warn) << id << ": " << found.remedy;
  }
};

TEST_F(Doctor, SameIdsInTheSameOrderOnAnyMachine) {
  std::vector<std::string> ids;
  for (const auto& found : examine_machine(false, fake.root())) ids.push_back(found.id);
  EXPECT_THAT(ids, ElementsAre("build", "governor", "turbo", "smt", "isolation", "quota", "load",
                               "runnable", "steal", "battery", "thp", "aslr", "clock_source",
                               "perf_event_paranoid", "io_uring", "memlock", "rapl"));
}

TEST_F(Doctor, AnEmptyMachineIsUnknownNotWrong) {
  EXPECT_FALSE(has_warning(examine_machine(false, fake.root())));
  for (const auto* id : {"governor", "turbo", "smt", "load", "runnable", "steal", "thp", "aslr",
                         "clock_source", "perf_event_paranoid", "io_uring", "memlock", "rapl"}) {
    expect(id, unknown, "unknown");
  }
}

TEST_F(Doctor, Build) {
  expect("build", ok, "optimised");
  const auto debug = look_at("build", true);
  EXPECT_EQ(debug.state, warn);
  EXPECT_THAT(debug.remedy, HasSubstr("cmake --preset release"));
}

TEST_F(Doctor, Governor) {
  const std::string file = "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor";
  fake.put(file, "performance");
  expect("governor", ok, "performance");
  fake.put(file, "schedutil");
  expect("governor", warn, "schedutil");
  fake.put(file, "performance")
      .put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  expect("governor", warn, "performance+powersave");
  fake.put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
  fake.put("/sys/devices/system/cpu/cpu7/cpufreq/scaling_governor", "powersave");
  expect("governor", ok, "performance");
}

TEST_F(Doctor, TurboWithTheRightSwitch) {
  fake.put("/sys/devices/system/cpu/cpufreq/boost", "1");
  expect("turbo", warn, "on");
  EXPECT_THAT(look_at("turbo").remedy, HasSubstr("cpufreq/boost"));
  fake.put("/sys/devices/system/cpu/cpufreq/boost", "0");
  expect("turbo", ok, "off");
  fake.put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  EXPECT_THAT(look_at("turbo").remedy, HasSubstr("intel_pstate/no_turbo"));
}

TEST_F(Doctor, Smt) {
  fake.put("/sys/devices/system/cpu/smt/active", "1");
  expect("smt", warn, "on");
  fake.put("/sys/devices/system/cpu/smt/active", "0");
  expect("smt", ok, "off");
}

TEST_F(Doctor, Isolation) {
  expect("isolation", ok, "none");
  fake.put("/sys/devices/system/cpu/isolated", "");
  expect("isolation", ok, "none");
  fake.put("/sys/devices/system/cpu/isolated", "6-7");
  expect("isolation", ok, "none");
  fake.put("/sys/devices/system/cpu/isolated", "2-7");
  expect("isolation", warn, "isolcpus 2-3");
  fake.put("/sys/devices/system/cpu/isolated", "").put("/sys/devices/system/cpu/nohz_full", "1-3");
  expect("isolation", ok, "nohz_full 1-3");
  fake.put("/sys/devices/system/cpu/intel_pstate/status", "active");
  expect("isolation", warn, "nohz_full 1-3");
  fake.put("/sys/devices/system/cpu/nohz_full", "(null)");
  expect("isolation", ok, "none");
}

TEST_F(Doctor, Quota) {
  expect("quota", ok, "none");
  fake.put("/proc/self/cgroup", "0::/");
  fake.put("/proc/self/mountinfo", "2 0 0:2 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  fake.put("/sys/fs/cgroup/cpu.max", "150000 100000");
  fake.put("/sys/fs/cgroup/cpu.stat", "nr_throttled 12\nthrottled_usec 5");
  expect("quota", warn, "1.50 CPUs, throttled 12 times");
  EXPECT_THAT(look_at("quota").remedy, HasSubstr("--threads=2"));
  fake.put("/sys/fs/cgroup/cpu.max", "400000 100000");
  expect("quota", ok, "4.00 CPUs");
}

TEST_F(Doctor, LoadAndRunnable) {
  fake.put("/proc/loadavg", "0.40 0.10 0.05 1/88 7245");
  expect("load", ok, "0.40 0.10 0.05");
  expect("runnable", ok, "no other thread");
  fake.put("/proc/loadavg", "0.90 0.10 0.05 2/88 7245");
  expect("load", warn, "0.90");
  expect("runnable", warn, "1 other thread");
  fake.put("/proc/loadavg", "0.75 0.10 0.05 6/88 7245")
      .put("/sys/devices/system/cpu/online", "0-63");
  expect("load", ok, "0.75");
  expect("runnable", warn, "5 other threads");
  fake.put("/proc/loadavg", "0,75 x");
  expect("load", unknown, "unknown");
}

TEST_F(Doctor, Steal) {
  fake.put("/proc/stat", "cpu 100 0 100 9790 0 0 0 10 0 0");
  expect("steal", ok, "0.10 %");
  fake.put("/proc/stat", "cpu 100 0 100 9300 0 0 0 500 0 0");
  expect("steal", warn, "5.00 %");
  fake.put("/proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0");
  expect("steal", unknown, "unknown");
}

TEST_F(Doctor, Battery) {
  expect("battery", ok, "not in use");
  fake.put("/sys/class/power_supply/AC/type", "Mains")
      .put("/sys/class/power_supply/BAT0/type", "Battery");
  fake.put("/sys/class/power_supply/BAT0/status", "Charging");
  expect("battery", ok, "not in use");
  fake.put("/sys/class/power_supply/BAT0/status", "Discharging");
  expect("battery", warn, "discharging");
}

TEST_F(Doctor, Thp) {
  const std::string file = "/sys/kernel/mm/transparent_hugepage/enabled";
  fake.put(file, "[always] madvise never");
  expect("thp", warn, "always");
  fake.put(file, "always [madvise] never");
  expect("thp", ok, "madvise");
  fake.put(file, "always madvise [never]");
  expect("thp", ok, "never");
  fake.put(file, "nonsense");
  expect("thp", unknown, "unknown");
}

TEST_F(Doctor, Aslr) {
  for (const auto* level : {"0", "1"}) {
    fake.put("/proc/sys/kernel/randomize_va_space", level);
    expect("aslr", warn, level);
  }
  fake.put("/proc/sys/kernel/randomize_va_space", "2");
  expect("aslr", ok, "2");
}

TEST_F(Doctor, ClockSource) {
  const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
  for (const auto* source : {"tsc", "kvm-clock", "arch_sys_counter"}) {
    fake.put(folder + "current_clocksource", source);
    expect("clock_source", ok, source);
  }
  fake.put(folder + "current_clocksource", "hpet")
      .put(folder + "available_clocksource", "tsc hpet acpi_pm ");
  expect("clock_source", warn, "hpet");
  EXPECT_THAT(look_at("clock_source").remedy, HasSubstr("echo tsc"));
  fake.put(folder + "available_clocksource", "hpet acpi_pm ");
  EXPECT_THAT(look_at("clock_source").remedy,
              AllOf(HasSubstr("dmesg"), Not(HasSubstr("echo tsc"))));
}

TEST_F(Doctor, PerfEventParanoid) {
  const std::string file = "/proc/sys/kernel/perf_event_paranoid";
  for (const auto* level : {"-1", "0", "1"}) {
    fake.put(file, level);
    expect("perf_event_paranoid", ok, level);
  }
  fake.put(file, "2");
  expect("perf_event_paranoid", warn, "2");
  EXPECT_THAT(look_at("perf_event_paranoid").why, HasSubstr("kernel's part"));
  fake.put(file, "4");
  EXPECT_THAT(look_at("perf_event_paranoid").why, HasSubstr("refused"));
  status("CapEff:\t0000004000000000");
  expect("perf_event_paranoid", ok, "4, and this process is privileged");
}

TEST_F(Doctor, IoUring) {
  fake.put("/proc/sys/kernel/io_uring_disabled", "0");
  expect("io_uring", ok, "allowed");
  status("Seccomp:\t2");
  expect("io_uring", unknown, "unknown");
  for (const auto* level : {"1", "2"}) {
    fake.put("/proc/sys/kernel/io_uring_disabled", level);
    expect("io_uring", warn, level);
  }
}

TEST_F(Doctor, Memlock) {
  const auto limit = [this](const std::string& soft) {
    fake.put("/proc/self/limits",
             "Limit                     Soft Limit           Hard Limit           Units     \n"
             "Max locked memory         " +
                 soft + "              unlimited            bytes     ");
  };
  limit("65536");
  expect("memlock", warn, "64 KiB");
  limit("8388608");
  expect("memlock", ok, "8192 KiB");
  limit("unlimited");
  expect("memlock", ok, "unlimited");
  limit("65536");
  status("CapEff:\t0000000000004000");
  expect("memlock", ok, "privileged");
}

TEST_F(Doctor, Rapl) {
  fake.put_unreadable("/sys/class/powercap/intel-rapl:0/energy_uj");
  expect("rapl", warn, "not readable");
  test::fake_root readable;
  readable.put("/sys/class/powercap/intel-rapl:0/energy_uj", "123456");
  EXPECT_EQ(examine_machine(false, readable.root()).back().state, ok);
}

TEST(DoctorOutput, TableAlignsAndExplains) {
  const std::vector<finding> findings{{"smt", warn, "on", "siblings compete", "echo off"},
                                      {"governor", ok, "performance", "", ""},
                                      {"rapl", unknown, "unknown", "no counter", ""}};
  EXPECT_EQ(doctor_table(findings),
            "smt       warn     on\n"
            "                   siblings compete\n"
            "                   > echo off\n"
            "governor  ok       performance\n"
            "rapl      unknown  unknown\n"
            "                   no counter\n");
  EXPECT_TRUE(has_warning(findings));
  EXPECT_EQ(to_json(findings).at(1).dump(),
            R"({"id":"governor","state":"ok","value":"performance","why":null,"remedy":null})");
}

TEST(DoctorHere, RunsUnprivilegedAndOnAnything) {
  const auto findings = examine_machine(false);
  EXPECT_EQ(findings.size(), 17u);
  for (const auto& found : findings) EXPECT_THAT(found.value, Not(IsEmpty())) << found.id;
}

}  // namespace
}  // namespace bb
