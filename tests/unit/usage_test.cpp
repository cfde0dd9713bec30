// What a trial costs: counted against work that is known, and null where this machine or a made-up one cannot say.

#include "harness/usage.hpp"

#include <gmock/gmock.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/clock.hpp"

namespace bb {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using testing::HasSubstr;

void sleep_ms(long ms) {
  const timespec nap{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&nap, nullptr);
}

void burn_cpu_ns(std::int64_t ns) {
  const auto begin = process_cpu_ns();
  while (process_cpu_ns() - begin < ns) {
  }
}

// ---- counters

TEST(counter, is_scaled_by_the_time_it_ran) {
  const auto value = between({100, 1000, 1000}, {400, 3000, 2000}).value();
  EXPECT_EQ(value.count, 600);  // 300 in half of the time
  EXPECT_EQ(value.active, 0.5);
  const auto whole = between({0, 0, 0}, {7, 50, 50}).value();
  EXPECT_EQ(whole.count, 7);
  EXPECT_EQ(whole.active, 1);
}

TEST(counter, that_never_ran_is_no_measurement) {
  EXPECT_FALSE(between({0, 0, 0}, {0, 1000, 0}));
  EXPECT_FALSE(between({5, 100, 100}, {5, 900, 100}));
  EXPECT_FALSE(between({0, 0, 0}, {0, 0, 0}));
  EXPECT_FALSE(between({5, 10, 10}, {4, 20, 20}));  // stepped back
}

TEST(counter, does_not_overflow_when_scaled) {
  const auto value =
      between({}, {std::uint64_t{1} << 62, std::uint64_t{1} << 62, std::uint64_t{1} << 61}).value();
  EXPECT_DOUBLE_EQ(value.count, 0x1p63);
}

TEST(perf_event, counts_threads_that_start_later) {
  const perf_event clock(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true);
  if (!clock) {  // a container may refuse even this; then it must say so and not count
    EXPECT_FALSE(clock.read());
    return;
  }
  const auto begin = clock.read().value();
  std::thread([] { burn_cpu_ns(20'000'000); }).join();
  EXPECT_GE(between(begin, clock.read().value()).value().count, 15e6);
}

TEST(perf_event, that_does_not_exist_reads_as_nothing) {
  const perf_event bad(~std::uint32_t{0}, 0, true);
  EXPECT_FALSE(bad);
  EXPECT_FALSE(bad.read());
  EXPECT_FALSE(perf_event().read());
  EXPECT_FALSE(perf_event::of_cpu(~std::uint32_t{0}, 0, 0));
}

TEST(perf_event, moves_its_descriptor) {
  perf_event first(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true);
  const bool open = static_cast<bool>(first);
  perf_event second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT: moved from on purpose
  EXPECT_EQ(static_cast<bool>(second), open);
  first = std::move(second);
  EXPECT_EQ(static_cast<bool>(first), open);
}

TEST(perf_counters, are_there_or_say_why_not) {
  const perf_counters counters;
  const auto begin = counters.read();
  burn_cpu_ns(5'000'000);
  const auto counted = perf_counters::between(begin, counters.read());
  EXPECT_EQ(counted.cycles.has_value(), counters.missing().empty());
  if (counted.cycles) {
    EXPECT_GT(counted.cycles->count, 1e5);
  }
  if (!counted.cycles) {
    EXPECT_THAT(counters.missing(), HasSubstr("hardware counters"));
  }
}

TEST(perf_counters, a_refusal_names_its_cause_and_remedy) {
  EXPECT_THAT(explain_perf_failure(EACCES, 3),
              HasSubstr("kernel.perf_event_paranoid is 3; `sysctl"));
  EXPECT_THAT(explain_perf_failure(EPERM, 1), HasSubstr("seccomp"));
  EXPECT_THAT(explain_perf_failure(EACCES, std::nullopt), HasSubstr("seccomp"));
  EXPECT_THAT(explain_perf_failure(ENOENT, 2), HasSubstr("virtual machine"));
  EXPECT_THAT(explain_perf_failure(ENOSYS, 2), HasSubstr("built without"));
  EXPECT_THAT(explain_perf_failure(EMFILE, 2), HasSubstr("cannot be opened: Too many open files"));
}

// ---- energy, on made-up machines

class made_up_sys : public testing::Test {
 protected:
  made_up_sys()
      : root_(fs::path(testing::TempDir()) /
              ("bb_sys_" + std::to_string(getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~made_up_sys() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  void zone(const std::string& folder, const std::string& name, const std::string& uj) const {
    write("class/powercap/" + folder + "/name", name);
    write("class/powercap/" + folder + "/energy_uj", uj);
    write("class/powercap/" + folder + "/max_energy_range_uj", "1000000000");
  }

  fs::path root_;
};

TEST_F(made_up_sys, energy_adds_up_over_packages) {
  zone("intel-rapl:0", "package-0", "5000000");
  zone("intel-rapl:0:0", "core", "1000");
  zone("intel-rapl:1", "package-1", "7000000");
  energy_meter meter(root_);
  EXPECT_EQ(meter.missing(), "");
  meter.begin();
  zone("intel-rapl:0", "package-0", "6500000");
  zone("intel-rapl:0:0", "core", "900000000");
  zone("intel-rapl:1", "package-1", "7250000");
  sleep_ms(101);
  EXPECT_DOUBLE_EQ(meter.joules().value(), 1.75);
}

TEST_F(made_up_sys, energy_that_wrapped_round_is_put_right) {
  zone("intel-rapl:0", "package-0", "999000000");
  energy_meter meter(root_);
  meter.begin();
  zone("intel-rapl:0", "package-0", "2000000");
  sleep_ms(101);
  EXPECT_DOUBLE_EQ(meter.joules().value(), 3);
}

TEST_F(made_up_sys, energy_of_a_short_interval_is_nothing) {
  zone("intel-rapl:0", "package-0", "1");
  energy_meter meter(root_);
  meter.begin();
  EXPECT_FALSE(meter.joules());
}

TEST_F(made_up_sys, energy_that_vanished_or_was_reset_is_nothing) {
  zone("intel-rapl:0", "package-0", "2000000000");
  energy_meter meter(root_);
  meter.begin();
  zone("intel-rapl:0", "package-0", "5");
  sleep_ms(101);
  EXPECT_FALSE(meter.joules());  // beyond its range before: not a wrap
  fs::remove(root_ / "class/powercap/intel-rapl:0/energy_uj");
  EXPECT_FALSE(meter.joules());
}

TEST_F(made_up_sys, unreadable_energy_says_so) {
  write("class/powercap/intel-rapl:0/name", "package-0");
  const energy_meter meter(root_);
  EXPECT_THAT(meter.missing(), HasSubstr("root alone"));
  EXPECT_FALSE(meter.joules());
}

TEST_F(made_up_sys, a_machine_without_energy_counters_says_so) {
  const energy_meter meter(root_);
  EXPECT_THAT(meter.missing(), HasSubstr("no energy counters"));
}

TEST_F(made_up_sys, a_perf_device_that_cannot_be_opened_leaves_powercap) {
  write("bus/event_source/devices/power/type", "4000000000");
  write("bus/event_source/devices/power/cpumask", "0");
  write("bus/event_source/devices/power/events/energy-pkg", "event=0x02");
  write("bus/event_source/devices/power/events/energy-pkg.scale", "2.3283064365386962890625e-10");
  zone("intel-rapl:0", "package-0", "1000000");
  energy_meter meter(root_);
  meter.begin();
  zone("intel-rapl:0", "package-0", "2000000");
  sleep_ms(101);
  EXPECT_DOUBLE_EQ(meter.joules().value(), 1);
}

// ---- the meter

TEST(usage, counts_time_and_cpu_of_all_threads) {
  usage_meter meter;
  meter.begin();
  std::thread([] { burn_cpu_ns(30'000'000); }).join();
  sleep_ms(20);
  const auto u = meter.end();
  EXPECT_GE(u.cpu_ns, 30'000'000u);
  EXPECT_GE(u.wall_ns, 50'000'000u - 30'000'000u);
  EXPECT_LT(u.cpu_ns, 10 * 30'000'000u);
  EXPECT_GE(u.voluntary_switches, 1u);  // the sleep
  EXPECT_FALSE(u.user_ns);              // too short for the split
  EXPECT_FALSE(u.system_ns);
}

TEST(usage, splits_user_and_system_time_from_half_a_second_on) {
  usage_meter meter;
  meter.begin();
  burn_cpu_ns(510'000'000);
  const auto u = meter.end();
  ASSERT_TRUE(u.user_ns && u.system_ns);
  EXPECT_NEAR(static_cast<double>(*u.user_ns + *u.system_ns), static_cast<double>(u.cpu_ns), 50e6);
}

TEST(usage, counts_faults_and_memory_growth_and_peak) {
  constexpr std::size_t size = std::size_t{64} << 20, page = 4096;
  usage_meter meter;
  meter.begin();
  auto* memory = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < size; i += page) memory[i] = 1;
  const auto touched = meter.end();
  munmap(memory, size);
  const auto freed = meter.end();

  EXPECT_GE(touched.minor_faults, size / page);
  ASSERT_TRUE(touched.rss_growth_bytes && freed.rss_growth_bytes);
  EXPECT_GE(*touched.rss_growth_bytes, std::int64_t{size});
  EXPECT_LT(*freed.rss_growth_bytes, *touched.rss_growth_bytes - std::int64_t{size} / 2);
  ASSERT_TRUE(touched.peak_growth_bytes && freed.peak_growth_bytes);
  EXPECT_GE(*touched.peak_growth_bytes, *touched.rss_growth_bytes);
  EXPECT_GE(*freed.peak_growth_bytes,
            std::int64_t{size} - (1 << 20));  // the kernel's peak lags a little
}

// Moves the calling thread from CPU to CPU of its mask, `moves` times; fewer if there is but one.
int migrate(int moves) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  if (CPU_COUNT(&before) < 2) return 0;
  int made = 0;
  for (int cpu = 0; made < moves; cpu = (cpu + 1) % CPU_SETSIZE) {
    if (!CPU_ISSET(cpu, &before)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    ++made;
  }
  sched_setaffinity(0, sizeof before, &before);
  return made;
}

TEST(usage, counts_migrations_of_threads) {
  usage_meter meter;
  meter.begin();
  std::thread([&] {
    const int moves = migrate(20);
    const auto u = meter.end();  // while the thread lives, either source counts it
    if (u.migrations) {
      EXPECT_GE(*u.migrations + 1, static_cast<unsigned>(moves));
    }
  }).join();
}

TEST(task_migrations, are_those_of_living_threads) {
  std::thread([&] {
    const auto begin = task_migrations::read();
    const int moves = migrate(20);
    const auto count = task_migrations::read().since(begin);
    if (count) {
      EXPECT_GE(*count + 1, static_cast<unsigned>(moves));
    }
    EXPECT_EQ(count.has_value(), fs::exists("/proc/self/sched"));
  }).join();
}

TEST(task_migrations, are_nothing_when_a_thread_ended) {
  using counts = std::map<int, std::uint64_t>;
  const task_migrations begin(counts{{1, 5}, {2, 3}});
  EXPECT_EQ(task_migrations(counts{{1, 9}, {2, 3}}).since(begin), 4u);
  EXPECT_EQ(task_migrations(counts{{1, 9}, {2, 4}, {3, 2}}).since(begin),
            7u);  // thread 3 began in between
  EXPECT_EQ(task_migrations(counts{{1, 9}}).since(begin), std::nullopt);
  EXPECT_EQ(task_migrations().since(begin), std::nullopt);
  EXPECT_EQ(task_migrations().since(task_migrations()), std::nullopt);
}

TEST(usage, says_why_something_is_missing) {
  usage_meter meter;
  meter.begin();
  const auto u = meter.end();
  const auto notes = testing::PrintToString(u.notes);
  if (!u.cycles) {
    EXPECT_THAT(notes, HasSubstr("hardware counters"));
  }
  if (!u.migrations) {
    EXPECT_THAT(notes, HasSubstr("migrations"));
  }
  if (!u.peak_growth_bytes) {
    EXPECT_THAT(notes, HasSubstr("peak memory"));
  }
}

TEST(usage, json_has_null_for_what_is_missing) {
  usage u;
  u.wall_ns = 5;
  u.cpu_ns = 6;
  u.voluntary_switches = 1;
  u.cycles = counter_value{100, 0.5};
  EXPECT_EQ(cpu_json(u).dump(),
            R"({"wall_ns":5,"cpu_ns":6,"user_ns":null,"system_ns":null,"voluntary_switches":1,)"
            R"("involuntary_switches":0,"minor_faults":0,"major_faults":0,"migrations":null})");
  EXPECT_EQ(memory_json(u).dump(), R"({"rss_growth_bytes":null,"peak_growth_bytes":null})");
  EXPECT_EQ(counters_json(u).dump(),
            R"({"cycles":{"v":100.0,"active":0.5},"instructions":null,"user_mode_only":false})");
  u.migrations = 3;
  u.rss_growth_bytes = -4096;
  EXPECT_EQ(cpu_json(u)["migrations"], 3);
  EXPECT_EQ(memory_json(u)["rss_growth_bytes"], -4096);
}

}  // namespace
}  // namespace bb
