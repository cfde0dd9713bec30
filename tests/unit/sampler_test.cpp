// The timing loop: check, warm-up, calibration, samples; and the typed body under it.

#include "harness/sampler.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "harness/clock.hpp"
#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

/// Each run takes `run_ns` of spinning; runs from `wrong_from` on answer wrongly.
class spinning : public cell_body {
 public:
  explicit spinning(std::int64_t run_ns, std::uint64_t wrong_from = ~0ull)
      : run_ns_(run_ns), wrong_from_(wrong_from) {}
  tally batch(std::uint64_t runs, entry) override {
    tally t{runs, 0};
    for (std::uint64_t i = 0; i < runs; ++i) {
      for (const std::int64_t end = now_ns() + run_ns_; now_ns() < end;) {
      }
      t.wrong += done++ >= wrong_from_;
    }
    return t;
  }
  std::uint64_t done = 0;

 private:
  std::int64_t run_ns_;
  std::uint64_t wrong_from_;
};

TEST(sampler, calibrates_batches_to_the_least_length) {
  spinning body(2'000);
  sampler s(body, entry::each, {.warmup_ns = 0, .time_ns = 20'000'000, .min_batch_ns = 1'000'000});
  ASSERT_TRUE(s.check());
  s.warm_up();
  s.sample();
  // A preempted warm-up batch may make the estimate short, never long: runs take 2 us at the least.
  EXPECT_LE(s.result().runs_per_batch, 1024u);
  EXPECT_GE(s.result().batch_ns.size(), 3u);
  EXPECT_EQ(s.result().runs, s.result().runs_per_batch * s.result().batch_ns.size());
}

TEST(sampler, a_slow_run_is_its_own_warm_up_and_gets_one_sample) {
  spinning body(30'000'000);
  sampler s(body, entry::each,
            {.warmup_ns = 10'000'000, .time_ns = 1'000'000, .min_batch_ns = 1'000'000});
  ASSERT_TRUE(s.check());
  s.warm_up();
  s.sample();
  EXPECT_EQ(body.done, 2u);
  EXPECT_EQ(s.result().batch_ns.size(), 1u);
  EXPECT_EQ(s.result().warmups.size(), 1u);
}

TEST(sampler, takes_exactly_the_samples_asked_for) {
  spinning body(1'000);
  sampler s(body, entry::each,
            {.warmup_ns = 0, .time_ns = 0, .min_batch_ns = 100'000, .samples = 17});
  ASSERT_TRUE(s.check());
  s.warm_up();
  s.sample();
  EXPECT_EQ(s.result().batch_ns.size(), 17u);
}

TEST(sampler, warms_up_for_the_time_asked_for_and_keeps_the_batches) {
  spinning body(50'000);
  sampler s(body, entry::each,
            {.warmup_ns = 20'000'000, .time_ns = 0, .min_batch_ns = 100'000, .samples = 1});
  ASSERT_TRUE(s.check());
  s.warm_up();
  std::uint64_t sum = 0, runs = 0;
  for (const auto& w : s.result().warmups) sum += w.ns, runs += w.runs;
  EXPECT_GE(s.result().warmup_ns, 20'000'000u);
  EXPECT_EQ(sum, s.result().warmup_ns);
  EXPECT_EQ(runs, body.done);
}

TEST(sampler, a_wrong_first_answer_stops_before_any_timing) {
  spinning body(1'000, 0);
  sampler s(body, entry::each, {.min_batch_ns = 1'000});
  EXPECT_FALSE(s.check());
  EXPECT_EQ(body.done, 1u);
}

TEST(sampler, a_wrong_answer_in_the_middle_is_counted) {
  spinning body(1'000, 100);
  sampler s(body, entry::each,
            {.warmup_ns = 0, .time_ns = 0, .min_batch_ns = 50'000, .samples = 10});
  ASSERT_TRUE(s.check());
  s.warm_up();
  s.sample();
  EXPECT_EQ(s.result().wrong, body.done - 100);
}

/// Counts how often it is entered, and adds `off` to every answer.
struct counting_rt {
  static constexpr std::string_view id = "counting", summary = "for this test";
  static constexpr bool ours = false;
  static std::string version() { return "1"; }
  struct ctx {};
  static inline std::uint64_t entered = 0, off = 0;
  explicit counting_rt(const config& c) { c.sit(0); }
  template <class F>
  auto run(F&& f) {
    ++entered;
    return f(ctx{});
  }
  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    auto a = left(c);
    return combine(a + off, right(c));
  }
};

std::unique_ptr<erased_input> input_of(std::int64_t size, const char* layout, const char* shape) {
  values v;
  v.set("size", size);
  v.set("layout", std::string(layout));
  v.set("shape", std::string(shape));
  v.set("entry", std::string("each"));
  return detail::describe<tree>().make_input(v);
}

TEST(typed_body, enters_once_per_batch_or_for_each_run) {
  const auto input = input_of(100, "preorder", "balanced");
  const auto body = detail::make_body<tree, counting_rt, false>(*input, {});
  counting_rt::entered = 0;
  EXPECT_EQ(body->batch(50, entry::each).wrong, 0u);
  EXPECT_EQ(counting_rt::entered, 50u);
  EXPECT_EQ(body->batch(50, entry::once).wrong, 0u);
  EXPECT_EQ(counting_rt::entered, 51u);
}

TEST(typed_body, counts_every_wrong_answer) {
  const auto input = input_of(100, "preorder", "balanced");
  const auto body = detail::make_body<tree, counting_rt, false>(*input, {});
  counting_rt::off = 1;
  EXPECT_EQ(body->batch(7, entry::each).wrong, 7u);
  EXPECT_EQ(body->batch(7, entry::once).wrong, 7u);
  counting_rt::off = 0;
}

TEST(tree_workload, visits_every_node_once_in_every_layout_and_shape) {
  for (const char* layout : {"preorder", "shuffled"})
    for (const char* shape : {"balanced", "skewed"})
      for (const std::int64_t size : {1, 2, 3, 4, 10, 999, 1000, 65536}) {
        const auto input = input_of(size, layout, shape);
        const auto& in = static_cast<detail::held_input<tree>&>(*input).value;
        EXPECT_EQ(tree::serial(in.root()), tree::expect(in))
            << layout << " " << shape << " " << size;
        EXPECT_EQ(tree::run<counting_rt>({}, in), tree::expect(in));
      }
}

std::pair<std::uint64_t, unsigned> measure(const tree::node* t) {
  if (t == nullptr) return {0, 0};
  const auto [ln, ld] = measure(t->left);
  const auto [rn, rd] = measure(t->right);
  return {1 + ln + rn, 1 + std::max(ld, rd)};
}

TEST(tree_workload, is_split_as_the_contract_says) {
  const auto balanced = input_of(1000, "shuffled", "balanced");
  const tree::node* root = static_cast<detail::held_input<tree>&>(*balanced).value.root();
  EXPECT_EQ(measure(root).first, 1000u);
  EXPECT_EQ(measure(root).second, 10u);
  EXPECT_EQ(measure(root->left).first, 499u);
  EXPECT_EQ(measure(root->right).first, 500u);
  const auto skewed = input_of(100'000, "preorder", "skewed");
  const tree::node* crooked = static_cast<detail::held_input<tree>&>(*skewed).value.root();
  EXPECT_EQ(measure(crooked->left).first, 89'999u);
  EXPECT_LT(measure(crooked).second, 110u);
}

TEST(tree_workload, the_oracle_is_exact_where_n_times_n_plus_1_overflows_nothing) {
  EXPECT_EQ(tree::operations([] {
              values v;
              v.set("size", std::int64_t{100'000'000});
              return v;
            }()),
            1e8);
  const auto input = input_of(65537, "preorder", "balanced");
  EXPECT_EQ(tree::expect(static_cast<detail::held_input<tree>&>(*input).value),
            65537ull * 65538 / 2);
}

}  // namespace
}  // namespace bb
