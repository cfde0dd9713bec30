// Results: summaries from samples, JSON there and back, tables.

#include "harness/result.hpp"

#include <gmock/gmock.h>

#include "harness/error.hpp"
#include "harness/table.hpp"

namespace bb {
namespace {

using testing::HasSubstr;

cell_result cell(const std::string& runtime, std::vector<std::vector<double>> trials,
                 unsigned threads = 1) {
  cell_result c;
  c.workload = "tree";
  c.params.set("size", std::int64_t{1000});
  c.params.set("layout", std::string("preorder"));
  c.runtime = runtime;
  c.variant = "generic";
  c.threads = threads;
  c.pin = {{"policy", "core"}, {"planned", {0}}, {"oversubscribed", false}};
  for (unsigned t = 0; t < trials.size(); ++t) {
    c.samples.push_back({1000.0, t, t, 0, true});  // warm-up, to be left out of every summary
    for (const double v : trials[t]) c.samples.push_back({v, t, t, 0, false});
    c.trials.push_back({{"trial", t},
                        {"round", t},
                        {"cpu_ns_per_op", 2.0 + t},
                        {"bytes_per_op", 24},
                        {"cpu", {{"migrations", t}}}});
  }
  return c;
}

run_result run_of(std::vector<cell_result> cells) {
  run_result r;
  r.tool = {{"name", "bb"}};
  r.started = r.finished = "2026-01-01T00:00:00Z";
  r.partial = false;
  r.seed = 9;
  r.cells = std::move(cells);
  return r;
}

TEST(summary, is_the_median_of_trial_medians_without_warm_up) {
  const summary s = summarise(cell("serial", {{1, 2, 9}, {4, 4, 4}, {5, 6, 7}}));
  EXPECT_EQ(s.trials, 3u);
  EXPECT_EQ(s.n, 9u);
  EXPECT_EQ(s.median, 4.0);
  EXPECT_EQ(s.min, 1.0);
  EXPECT_EQ(s.low, std::nullopt);  // no interval below 6 trials
}

TEST(summary, has_an_interval_from_six_trials_on) {
  const summary s = summarise(cell("serial", {{1}, {2}, {3}, {4}, {5}, {6}}));
  EXPECT_EQ(s.low, 1.0);
  EXPECT_EQ(s.high, 6.0);
}

TEST(summary, of_a_cell_that_is_not_ok_has_no_number) {
  for (const status s : {status::wrong, status::failed, status::timeout, status::did_not_finish}) {
    cell_result c = cell("serial", {{1, 2, 3}});
    c.state = s;
    EXPECT_EQ(summarise(c).median, std::nullopt) << to_string(s);
  }
}

TEST(summary, trial_medians_by_pointer) {
  const cell_result c = cell("serial", {{1}, {1}, {1}});
  EXPECT_EQ(trial_median(c, "/cpu_ns_per_op"), 3.0);
  EXPECT_EQ(trial_median(c, "/cpu/migrations"), 1.0);
  EXPECT_EQ(trial_median(c, "/cpu/none"), std::nullopt);
}

TEST(status_names, there_and_back) {
  for (const status s : {status::ok, status::did_not_finish, status::timeout, status::wrong,
                         status::failed, status::absent, status::skipped})
    EXPECT_EQ(status_from(to_string(s)), s);
  EXPECT_EQ(status_from("fine"), std::nullopt);
}

TEST(result_json, there_and_back_is_the_same_text) {
  run_result r = run_of({cell("serial", {{0.1, 1e-9, 12345.678}}), cell("heartbeat", {{1}}, 32)});
  r.cells[1].state = status::failed;
  r.cells[1].reason = "said \"no\"\n\xff";
  r.warnings.push_back({{"kind", "load"}, {"text", "busy"}});
  const std::string text = to_text(r);
  EXPECT_EQ(to_text(run_result_from_json(json::parse(text), "x")), text);
}

TEST(result_json, summaries_are_made_anew_and_not_believed) {
  json j = to_json(run_of({cell("serial", {{3}})}));
  j["cells"][0]["summary"]["median"] = 777;
  EXPECT_EQ(to_json(run_result_from_json(j, "x"))["cells"][0]["summary"]["median"], 3);
}

TEST(result_json, unknown_keys_are_ignored_and_other_schemas_refused) {
  json j = to_json(run_of({cell("serial", {{3}})}));
  j["later"] = 1;
  j["cells"][0]["later"] = {1, 2};
  EXPECT_EQ(run_result_from_json(j, "x").cells.size(), 1u);
  j["schema"] = "bb/2";
  try {
    run_result_from_json(j, "file.json");
    FAIL();
  } catch (const input_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("file.json"));
    EXPECT_THAT(e.what(), HasSubstr("bb/2"));
  }
}

TEST(result_json, not_measured_is_null_and_nan_never_written) {
  cell_result c = cell("serial", {{1}});
  c.samples.push_back({std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, false});
  const json j = to_json(run_of({c}));
  EXPECT_TRUE(j["cells"][0]["latency"].is_null());
  EXPECT_EQ(to_text(run_of({c})).find("nan"), std::string::npos);
  EXPECT_TRUE(
      j["cells"][0]["summary"]["median"].is_null());  // a sample that is no number must not vanish
}

TEST(table, groups_start_with_serial_and_speed_up_is_against_it) {
  const run_result r =
      run_of({cell("heartbeat", {{1}, {1}}), cell("tbb", {{8}}), cell("serial", {{2}})});
  const auto groups = make_groups(r);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].lines[0].cell->runtime, "serial");
  EXPECT_EQ(groups[0].lines[1].speedup, 2.0);
  EXPECT_EQ(groups[0].lines[2].speedup, 0.25);
}

TEST(table, without_serial_there_is_no_speed_up) {
  EXPECT_EQ(make_groups(run_of({cell("tbb", {{8}})}))[0].lines[0].speedup, std::nullopt);
}

TEST(table, bandwidth_stands_only_beside_a_ceiling_of_the_same_input_and_pus) {
  run_result r = run_of({cell("serial", {{2}})});
  EXPECT_EQ(make_groups(r)[0].lines[0].gb_per_s, std::nullopt);
  r.ceilings.push_back({{"workload", "tree"},
                        {"input", {{"size", 1000}}},
                        {"pus", {0}},
                        {"gb_per_s", 20.0},
                        {"round", 0}});
  EXPECT_EQ(make_groups(r)[0].lines[0].gb_per_s, 12.0);
  EXPECT_EQ(make_groups(r)[0].lines[0].ceiling, 20.0);
  r.ceilings[0]["pus"] = {0, 1};
  EXPECT_EQ(make_groups(r)[0].lines[0].gb_per_s, std::nullopt);
}

TEST(table, absent_cells_are_notes_with_equal_reasons_folded) {
  run_result r = run_of({cell("serial", {{2}}), cell("a", {}), cell("b", {})});
  for (int i : {1, 2}) r.cells[i].state = status::absent, r.cells[i].reason = "has no fork/join";
  EXPECT_THAT(make_groups(r)[0].notes, testing::ElementsAre("absent: a, b (has no fork/join)"));
}

TEST(table, csv_quotes_by_rfc_4180) {
  run_result r = run_of({cell("serial", {{2}})});
  r.cells[0].reason = "a, \"b\"\nc";
  EXPECT_THAT(to_csv(r), HasSubstr("\"a, \"\"b\"\"\nc\""));
}

TEST(table, markdown_escapes_pipes) {
  run_result r = run_of({cell("a|b", {{2}})});
  EXPECT_THAT(to_markdown(r), HasSubstr("a\\|b"));
}

}  // namespace
}  // namespace bb
