#include "runtimes/fiber/detail/sleep_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using fiber::detail::sleep_node;
using fiber::detail::sleep_tree;

TEST(FiberSleepTree, PopsInOrderOfDeadline) {
  sleep_tree tree;
  EXPECT_TRUE(tree.empty());
  std::vector<sleep_node> nodes(6);
  const std::int64_t deadlines[] = {5, 1, 4, 1, 9, 2};
  for (int i = 0; i < 6; ++i) tree.insert(nodes[i], deadlines[i]);
  std::vector<std::int64_t> popped;
  while (!tree.empty()) popped.push_back(tree.pop().deadline_ns);
  EXPECT_EQ(popped, (std::vector<std::int64_t>{1, 1, 2, 4, 5, 9}));
  for (const auto& node : nodes) EXPECT_FALSE(node.linked);
}

// Against a sorted vector, with random insertions, removals and pops.
TEST(FiberSleepTree, AgreesWithASortedListUnderRandomUse) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    sleep_tree tree;
    std::vector<sleep_node> nodes(300);
    std::vector<std::int64_t> model;
    for (int step = 0; step < 3000; ++step) {
      sleep_node& node = nodes[random() % nodes.size()];
      if (!node.linked) {
        const auto deadline = static_cast<std::int64_t>(random() % 100);
        tree.insert(node, deadline);
        model.insert(std::upper_bound(model.begin(), model.end(), deadline), deadline);
      } else if (random() % 2 == 0) {
        model.erase(std::lower_bound(model.begin(), model.end(), node.deadline_ns));
        tree.remove(node);
        ASSERT_FALSE(node.linked);
      } else {
        ASSERT_EQ(tree.pop().deadline_ns, model.front());
        model.erase(model.begin());
      }
      ASSERT_EQ(tree.empty(), model.empty());
      if (model.empty()) continue;
      ASSERT_EQ(tree.earliest().deadline_ns, model.front());
    }
  }
}

// A hundred thousand siblings must not recurse: fibers have small stacks.
TEST(FiberSleepTree, HoldsAHundredThousand) {
  sleep_tree tree;
  std::vector<sleep_node> nodes(100'000);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    tree.insert(nodes[i], static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < nodes.size(); ++i) ASSERT_EQ(&tree.pop(), &nodes[i]);
  EXPECT_TRUE(tree.empty());
}

}  // namespace
