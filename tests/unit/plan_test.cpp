// From a selection to cells: what is run, what is said of the rest, and in which order.

#include "harness/plan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/error.hpp"

namespace bb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr param_spec parameters[] = {
    {.name = "size", .help = "items", .smoke = "1", .full = "10,1000"},
    {.name = "mode",
     .help = "how",
     .what = param_spec::kind::choice,
     .choices = "a,b",
     .smoke = "a",
     .full = "a",
     .of_input = false}};

workload_info workload(std::string_view id) {
  return {
      .id = id,
      .summary = "for this test",
      .operation = "item",
      .needs = "hands",
      .parameters = parameters,
      .operations = [](const values& v) { return static_cast<double>(v.number("size")); },
      .bytes_per_operation = [](const values&) { return 0.0; },
      .memory_bytes = [](const values& v) { return static_cast<double>(v.number("size")) * 100; },
      .large = [](const values& v) { return v.number("size") >= 1000; },
      .make_input = nullptr};
}

std::unique_ptr<cell_body> no_body(const erased_input&, const config&) { return nullptr; }

registry table() {
  row base{.id = "serial", .summary = ""};
  base.single_thread = true;
  base.bodies = {
      {"one", "native", no_body}, {"one", "generic", no_body}, {"two", "generic", no_body}};
  row many{.id = "many", .summary = ""};
  many.arms = {{"cut", "", "N", "3,4"}, {"lib", "", "x,y", "y"}};
  many.lacks_arm = [](const arm_values& arm) {
    return std::string(arm.get("lib") == "y" ? "liby was not found" : "");
  };
  many.bodies = {{"one", "generic", no_body}};
  row gone{.id = "gone", .summary = "", .absent = "libgone was not found"};
  return registry({workload("one"), workload("two")}, {base, many, gone});
}

planning_ground machine(const char* description, unsigned threads) {
  return {load_topology(description), threads, 1'000'000'000};
}

std::vector<planned_cell> plan(selection what, const char* description = "core:4 pu:2",
                               unsigned threads = 8) {
  static const registry t = table();
  return make_plan(t, what, machine(description, threads));
}

selection of(const std::string& workload, const std::string& runtimes, const std::string& threads) {
  selection s;
  s.workloads = workload;
  s.runtimes = runtimes;
  s.threads = threads;
  return s;
}

TEST(plan, a_single_thread_runtime_has_one_cell_whatever_the_threads) {
  const auto cells = plan(of("one", "serial", "2,4,8"));
  ASSERT_EQ(cells.size(), 2u);  // two sizes
  for (const auto& c : cells) EXPECT_EQ(c.result.threads, 1u);
}

TEST(plan, best_takes_the_native_body_where_there_is_one) {
  EXPECT_EQ(plan(of("one", "serial", "1"))[0].result.variant, "native");
  EXPECT_EQ(plan(of("two", "serial", "1"))[0].result.variant, "generic");
  auto all = of("one", "serial", "1");
  all.variant = "all";
  EXPECT_EQ(plan(all).size(), 4u);
}

TEST(plan, empty_cells_say_why) {
  const auto cells = plan(of("two", "many,gone", "1"));
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[0].result.state, status::absent);
  EXPECT_EQ(cells[0].result.reason, "many has no hands");
  EXPECT_EQ(cells[1].result.reason, "libgone was not found");
  for (const auto& c : cells) EXPECT_EQ(c.body, nullptr);
}

TEST(plan, large_inputs_run_at_one_and_most_threads) {
  std::map<unsigned, status> large;
  for (const auto& c : plan(of("one", "many", "1,2,4,8,16")))
    if (c.result.params.number("size") == 1000) large[c.result.threads] = c.result.state;
  EXPECT_EQ(large, (std::map<unsigned, status>{{1, status::ok},
                                               {2, status::skipped},
                                               {4, status::skipped},
                                               {8, status::ok},
                                               {16, status::skipped}}));
  auto full = of("one", "many", "1,2,4,8,16");
  full.full = true;
  for (const auto& c : plan(full)) EXPECT_EQ(c.result.state, status::ok);
}

TEST(plan, an_input_beyond_memory_fails_with_both_numbers) {
  auto what = of("one", "many", "1");
  what.params["size"] = "20M";
  const auto cells = plan(what);
  EXPECT_EQ(cells[0].result.state, status::failed);
  EXPECT_THAT(cells[0].result.reason, HasSubstr("1.86 GiB"));
  EXPECT_THAT(cells[0].result.reason, HasSubstr("954 MiB"));
}

TEST(plan, arms) {
  const auto names = [](const std::string& runtimes) {
    std::vector<std::string> out;
    for (const auto& r : parse_runtimes(table(), runtimes)) out.push_back(r.arm.label());
    return out;
  };
  EXPECT_THAT(names("many"), ElementsAre(""));
  EXPECT_THAT(names("many/cut=7+lib=y"), ElementsAre("cut=7+lib=y"));
  EXPECT_THAT(names("many/*"), ElementsAre("", "cut=3", "cut=4", "lib=y"));
  EXPECT_THROW(names("many/cut=x"), usage_error);
  EXPECT_THROW(names("many/lib=z"), usage_error);
  EXPECT_THROW(names("many/what=1"), usage_error);
  EXPECT_THROW(names("serial/cut=1"), usage_error);
  EXPECT_THROW(names("many/cut"), usage_error);
}

TEST(plan, repeated_runtimes_are_one_cell) {
  EXPECT_EQ(plan(of("one", "many,all,many", "1")).size(), 6u);
}

TEST(plan, filters_match_and_negate) {
  auto what = of("one", "serial,many", "1");
  what.filters = {"size=10 "};
  EXPECT_EQ(plan(what).size(), 2u);
  what.filters = {"-serial"};
  for (const auto& c : plan(what)) EXPECT_EQ(c.result.runtime, "many");
  what.filters = {"serial", "many"};
  EXPECT_THROW(plan(what), usage_error);
}

TEST(plan, several_pin_policies_are_cells_of_their_own) {
  auto what = of("one", "many", "2");
  what.params["size"] = "10";
  what.pins = "core,compact,list:1,3";
  const auto cells = plan(what);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_THAT(cells[0].pins.pus, ElementsAre(0, 2));
  EXPECT_THAT(cells[1].pins.pus, ElementsAre(0, 1));
  EXPECT_THAT(cells[2].pins.pus, ElementsAre(1, 3));
}

TEST(plan, symbols_of_threads) {
  std::set<unsigned> seen;
  for (const auto& c : plan(of("one", "many", "cores,pus,max"), "core:4 pu:2", 3))
    seen.insert(c.result.threads);
  EXPECT_THAT(seen, ElementsAre(3, 4, 8));
}

// --- the order of a round

std::vector<std::size_t> flat(const std::vector<round_part>& parts) {
  std::vector<std::size_t> out;
  for (const auto& p : parts) out.insert(out.end(), p.cells.begin(), p.cells.end());
  return out;
}

TEST(order, every_round_has_every_cell_once) {
  const auto cells = plan(of("all", "all", "1,2,4"));
  for (unsigned round = 0; round < 20; ++round) {
    auto all = flat(order_round(cells, 42, round));
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), cells.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  }
}

TEST(order, is_a_function_of_seed_and_round) {
  const auto cells = plan(of("all", "all", "1,2,4"));
  EXPECT_EQ(flat(order_round(cells, 1, 3)), flat(order_round(cells, 1, 3)));
  EXPECT_NE(flat(order_round(cells, 1, 3)), flat(order_round(cells, 1, 4)));
  EXPECT_NE(flat(order_round(cells, 1, 3)), flat(order_round(cells, 2, 3)));
}

TEST(order, every_cell_comes_first_now_and_then) {
  const auto cells = plan(of("one", "many", "1,2,4"));
  std::map<std::size_t, int> first;
  for (unsigned round = 0; round < 600; ++round)
    ++first[flat(order_round(cells, 7, round)).front()];
  ASSERT_EQ(first.size(), cells.size());
  for (const auto& [cell, times] : first) EXPECT_GT(times, 60) << cell;  // 100 expected, sigma 9
}

TEST(order, a_part_shares_one_input_and_modes_share_theirs) {
  auto what = of("one", "many", "1");
  what.params["mode"] = "a,b";
  const auto cells = plan(what);
  const auto parts = order_round(cells, 1, 0);
  ASSERT_EQ(parts.size(), 2u);  // sizes; the mode is not of the input
  for (const auto& p : parts)
    for (const std::size_t i : p.cells) EXPECT_EQ(cells[i].input, cells[p.cells.front()].input);
}

TEST(order, padding_varies_and_stays_below_a_page) {
  const auto cells = plan(of("one", "many", "1"));
  std::set<std::size_t> seen;
  for (unsigned round = 0; round < 50; ++round)
    for (const auto& p : order_round(cells, 5, round)) {
      EXPECT_LT(p.padding, 4096u);
      seen.insert(p.padding);
    }
  EXPECT_GT(seen.size(), 80u);
}

TEST(plan, an_arm_that_this_build_lacks_is_absent_and_the_others_are_not) {
  std::map<std::string, unsigned> seen;
  for (const auto& c : plan(of("one", "many,many/lib=y,many/cut=3+lib=y", "2"))) {
    ++seen[c.result.arm];
    const bool lacks = !c.result.arm.empty();
    EXPECT_EQ(c.result.state, lacks ? status::absent : status::ok);
    EXPECT_EQ(c.result.reason, lacks ? "liby was not found" : "");
    EXPECT_EQ(c.body == nullptr, lacks);
  }
  EXPECT_EQ(seen, (std::map<std::string, unsigned>{{"", 2}, {"lib=y", 2}, {"cut=3+lib=y", 2}}));
}

}  // namespace
}  // namespace bb
