#include "harness/seat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "harness/cpu_mask.hpp"
#include "tests/unit/in_child.hpp"

namespace bb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Starts that many threads, sits them all down, and takes the report while all of them live.
seat_report seat_all(seats& places, unsigned threads) {
  seat_report report;
  std::barrier seated(threads + 1), reported(threads + 1);
  std::vector<std::jthread> workers;
  for (unsigned worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      places.sit(worker);
      seated.arrive_and_wait();
      reported.arrive_and_wait();
    });
  }
  seated.arrive_and_wait();
  report = places.report();
  reported.arrive_and_wait();
  return report;
}

pin_plan plan_here(std::string_view policy, unsigned threads) {
  return make_pin_plan(load_topology(), parse_pin_policy(policy), threads);
}

TEST(Seats, EveryWorkerSitsOnItsOwnPu) {
  const auto threads = static_cast<unsigned>(load_topology().pus.size());
  seats places(plan_here("core", threads));
  const auto report = seat_all(places, threads);
  EXPECT_THAT(report.problem, IsEmpty());
  EXPECT_EQ(report.threads_seen, threads);
  EXPECT_EQ(report.pus_seen, threads);
  for (const auto& one : report.seats) {
    EXPECT_EQ(one.actual, static_cast<int>(places.plan().pus[one.worker]));
    EXPECT_EQ(one.last, one.actual);
    EXPECT_NE(one.tid, 0);
  }
}

TEST(Seats, OversubscribedPlansShareInTurn) {
  const auto pus = static_cast<unsigned>(load_topology().pus.size());
  seats places(plan_here("core", 2 * pus + 1));
  const auto report = seat_all(places, 2 * pus + 1);
  EXPECT_THAT(report.problem, IsEmpty());
  EXPECT_EQ(report.threads_seen, 2 * pus + 1);
  EXPECT_EQ(report.pus_seen, pus);
}

TEST(Seats, PolicyNoneRecordsWithoutBinding) {
  const auto mask = get_affinity(0);
  seats places(plan_here("none", 3));
  const auto report = seat_all(places, 3);
  EXPECT_THAT(report.problem, IsEmpty());
  EXPECT_EQ(report.threads_seen, 3u);
  EXPECT_GE(report.pus_seen, 1u);
  EXPECT_EQ(report.seats[0].actual, -1);
  EXPECT_GE(report.seats[0].last, 0);
  std::jthread([&] {
    places.sit(0);
    EXPECT_EQ(get_affinity(0), mask);
  });
}

TEST(Seats, ReportSaysWhereAThreadRunsNow) {
  for (const unsigned cpu : load_topology().os_indexes()) {
    seats places(plan_here("none", 1));
    std::jthread([&] {
      places.sit(0);
      ASSERT_TRUE(set_affinity(0, {cpu}));
      EXPECT_EQ(places.report().seats[0].last, static_cast<int>(cpu));
    });
  }
}

TEST(Seats, AThreadThatEndedKeepsItsLastPlace) {
  seats places(plan_here("core", 1));
  std::jthread([&] { places.sit(0); }).join();
  EXPECT_EQ(places.report().seats[0].last, places.report().seats[0].planned);
}

TEST(Seats, TooFewThreadsAreAProblem) {
  seats places(plan_here("core", 3));
  EXPECT_THAT(seat_all(places, 2).problem, HasSubstr("worker 2 of 3 never started"));
}

TEST(Seats, OneThreadInTwoRolesIsAProblem) {
  seats places(plan_here("none", 2));
  places.sit(0);
  places.sit(1);
  EXPECT_THAT(places.report().problem, HasSubstr("2 threads asked, 1 distinct ones seen"));
}

TEST(Seats, AWorkerTooManyIsAProblem) {
  seats places(plan_here("none", 1));
  EXPECT_THAT(seat_all(places, 2).problem, HasSubstr("worker 1: is one more than the 1 planned"));
}

TEST(Seats, ARefusedCpuIsRecordedNotThrown) {
  pin_plan plan;
  plan.threads = 1;
  plan.pus = plan.allowed = {60000};
  seats places(plan);
  const auto report = seat_all(places, 1);
  EXPECT_THAT(report.problem,
              AllOf(HasSubstr("worker 0: CPU 60000 refused"), HasSubstr("Invalid argument")));
  EXPECT_EQ(report.seats[0].actual, -1);
}

TEST(Seats, SittingDownAgainIsOneThread) {
  seats places(plan_here("core", 1));
  std::jthread([&] {
    for (int i = 0; i < 100; ++i) places.sit(0);
    EXPECT_EQ(places.report().threads_seen, 1u);
    EXPECT_THAT(places.report().problem, IsEmpty());
  });
}

TEST(Seats, ManyThreadsMaySitWhileOthersAskForReports) {
  constexpr unsigned threads = 32;
  seats places(plan_here("core", threads));
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) EXPECT_LE(places.report().threads_seen, threads);
  });
  EXPECT_EQ(seat_all(places, threads).threads_seen, threads);
}

TEST(Seats, JsonHasNullForWhatIsNotBound) {
  seats places(plan_here("none", 2));
  const auto json = to_json(places.plan(), places.report());
  EXPECT_EQ(json.at("policy"), "none");
  EXPECT_EQ(json.at("planned"), nlohmann::ordered_json::array({nullptr, nullptr}));
  EXPECT_EQ(json.at("actual"), nlohmann::ordered_json::array({nullptr, nullptr}));
  EXPECT_EQ(json.at("threads_seen"), 0u);
  EXPECT_EQ(json.at("oversubscribed"), 2 > load_topology().pus.size());
}

TEST(ConfineProcess, MaskBecomesTheUnion) {
  const auto plan = plan_here("core", 1);
  EXPECT_TRUE(test::holds_in_child(
      [&] { return !confine_process(plan) && get_affinity(0) == plan.used(); }));
}

TEST(ConfineProcess, PolicyNoneLeavesTheMask) {
  const auto before = get_affinity(0);
  EXPECT_TRUE(test::holds_in_child(
      [&] { return !confine_process(plan_here("none", 1)) && get_affinity(0) == before; }));
}

TEST(ConfineProcess, ForbiddenCpusAreReported) {
  pin_plan plan;
  plan.threads = 2;
  plan.pus = plan.allowed = {get_affinity(0)->front(), 60000};
  EXPECT_TRUE(test::holds_in_child([&] {
    const auto why = confine_process(plan);
    return why && why->find("60000") != std::string::npos;
  }));
}

}  // namespace
}  // namespace bb
