#include "harness/membind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/error.hpp"
#include "tests/unit/in_child.hpp"

namespace bb {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MemPolicy, Words) {
  for (const auto* text : {"none", "local", "interleave", "node:0", "node:17"}) {
    EXPECT_EQ(to_string(parse_mem_policy(text)), text);
  }
  EXPECT_EQ(parse_mem_policy("node:3"), (mem_policy{mem_kind::node, 3}));
  for (const auto* text :
       {"", "nodes", "node:", "node:x", "node:-1", "node:1 ", "node:99999999999"}) {
    EXPECT_THROW((void)parse_mem_policy(text), usage_error) << text;
  }
}

TEST(MemPolicy, MissingNodeIsNamedWithThoseThatThereAre) {
  const auto why = apply_mem_policy({mem_kind::node, 4095});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, AllOf(HasSubstr("node:4095"), HasSubstr("there is 0")));
}

/// The policy in force, as the kernel names it in front of each mapping: "default", "local",
/// "interleave:0", "bind:0".
std::string policy_in_force() {
  std::ifstream maps("/proc/self/numa_maps");
  std::string address, policy;
  maps >> address >> policy;
  return policy;
}

TEST(MemPolicy, KernelTakesItOrTheReasonIsGiven) {
  const bool kernel_tells = !policy_in_force().empty();
  for (const auto& [text, kernel_word] :
       {std::pair{"none", "default"}, std::pair{"local", "local"},
        std::pair{"interleave", "interleave:"}, std::pair{"node:0", "bind:0"}}) {
    EXPECT_TRUE(test::holds_in_child([&] {
      if (const auto why = apply_mem_policy(parse_mem_policy(text)))
        return why->find("refused here") != why->npos;
      return !kernel_tells || policy_in_force().starts_with(kernel_word);
    })) << text
        << ": " << policy_in_force();
  }
}

}  // namespace
}  // namespace bb
