#include "harness/suggest.hpp"

#include <gtest/gtest.h>

namespace bb {
namespace {

constexpr std::string_view workloads[] = {"tree",  "fork",          "grain",
                                          "alloc", "alloc_latency", "pingpong"};

TEST(edit_distance, counts_single_slips) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "tree"), 4u);
  EXPECT_EQ(edit_distance("tree", ""), 4u);
  EXPECT_EQ(edit_distance("tree", "tree"), 0u);
  EXPECT_EQ(edit_distance("tre", "tree"), 1u);
  EXPECT_EQ(edit_distance("treee", "tree"), 1u);
  EXPECT_EQ(edit_distance("trae", "tree"), 1u);
  EXPECT_EQ(edit_distance("rtee", "tree"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("TREE", "tree"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // no substring edited twice
}

TEST(edit_distance, is_symmetric) {
  for (const auto a : workloads)
    for (const auto b : workloads)
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << ' ' << b;
}

TEST(nearest, finds_slips_and_beginnings_but_nothing_far) {
  EXPECT_EQ(nearest("tre", workloads), "tree");
  EXPECT_EQ(nearest("Tree", workloads), "tree");
  EXPECT_EQ(nearest("gain", workloads), "grain");
  EXPECT_EQ(nearest("ping", workloads), "pingpong");
  EXPECT_EQ(nearest("alloc_latncy", workloads), "alloc_latency");
  EXPECT_EQ(nearest("mandelbrot", workloads), std::nullopt);
  EXPECT_EQ(nearest("", workloads), std::nullopt);
  EXPECT_EQ(nearest("x", workloads), std::nullopt);
  EXPECT_EQ(nearest("tree", {}), std::nullopt);
}

TEST(nearest, takes_the_first_of_equals) {
  constexpr std::string_view known[] = {"bat", "cat"};
  EXPECT_EQ(nearest("rat", known), "bat");
}

TEST(unknown_name, is_one_sentence) {
  constexpr std::string_view known[] = {"tree", "fork"};
  EXPECT_EQ(unknown_name("workload", "tre", known),
            "unknown workload 'tre'; did you mean 'tree'? known: tree, fork");
  EXPECT_EQ(unknown_name("workload", "xyz", known), "unknown workload 'xyz'; known: tree, fork");
  EXPECT_EQ(unknown_name("workload", "xyz", {}), "unknown workload 'xyz'; none are known");
}

}  // namespace
}  // namespace bb
