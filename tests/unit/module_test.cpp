// A row whose code is a shared library of its own: found beside the rows, described and run like a linked one, and
// invisible to everything else in the process.

#include "harness/module.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/error.hpp"
#include "harness/row.hpp"
#include "workloads/tree.hpp"

namespace bb {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<erased_input> tree_of(std::int64_t size) {
  values v;
  v.set("size", size);
  v.set("layout", "preorder");
  v.set("shape", "balanced");
  return detail::describe<tree>().make_input(v);
}

std::string refusal(const std::string& module, std::string_view workload) try {
  const auto input = tree_of(1);
  make_from_module(module, workload, "generic", *input, {});
  return "";
} catch (const error& e) {
  return e.what();
}

TEST(module, describes_its_row_and_is_loaded_once) {
  const row& r = load_module("template_self");
  EXPECT_EQ(r.id, "template");
  EXPECT_EQ(r.version(), "template 1.0");
  EXPECT_EQ(&load_module("template_self"), &r);
}

TEST(module, runs_a_cell_built_by_the_program) {
  const auto input = tree_of(1000);
  const auto body = make_from_module("template_self", "tree", "generic", *input, {});
  const tally each = body->batch(5, entry::each), once = body->batch(3, entry::once);
  EXPECT_EQ(each.runs, 5u);
  EXPECT_EQ(each.wrong, 0u);
  EXPECT_EQ(once.runs, 3u);
  EXPECT_EQ(once.wrong, 0u);
}

TEST(module, shows_no_symbol_to_others) {
  load_module("template_self");
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "bb_module_row"), nullptr);
}

TEST(module, says_what_is_wrong_and_what_to_do) {
  EXPECT_THAT(refusal("no_such", "tree"), HasSubstr("module no_such cannot be loaded"));
  EXPECT_THAT(refusal("no_such", "tree"), HasSubstr("build bb again"));
  EXPECT_THAT(refusal("template_self", "no_such"), HasSubstr("has no generic body for no_such"));
}

/// A runtime that is a module: the row in the program names it, and none of this code runs.
struct remote_rt {
  static constexpr std::string_view id = "remote", summary = "";
  static constexpr bool ours = false, may_not_finish = true;
  static std::string version() { return ""; }
  static std::string module(const arm_values& arm) { return std::string(arm.get("lib")); }
  struct ctx {};
  explicit remote_rt(const config&) { throw std::logic_error("built in the program"); }
  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }
  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    return combine(left(c), right(c));
  }
};

TEST(module, holds_the_bodies_of_a_row_that_names_it) {
  const row r = detail::make_row<remote_rt>(workload_list<tree>{});
  EXPECT_TRUE(r.may_not_finish);
  ASSERT_EQ(r.bodies.size(), 1u);
  const auto input = tree_of(100);
  using pairs = std::vector<std::pair<std::string, std::string>>;
  const config c{.arm = arm_values(pairs{{"lib", "template_self"}})};
  EXPECT_EQ(r.bodies[0].make(*input, c)->batch(2, entry::each).wrong, 0u);
}

}  // namespace
}  // namespace bb
