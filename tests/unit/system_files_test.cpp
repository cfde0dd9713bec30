#include "harness/system_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/fake_root.hpp"

namespace bb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SystemRoot, ReadsWithoutTrailingBlanks) {
  test::fake_root fake;
  fake.put("/proc/one", " two words \n\n").put("/proc/empty", "");
  EXPECT_EQ(fake.root().read("/proc/one"), " two words");
  EXPECT_EQ(fake.root().read("/proc/empty"), "");
}

TEST(SystemRoot, WhatIsMissingOrRefusedIsNothing) {
  test::fake_root fake;
  fake.put_unreadable("/sys/refused");
  EXPECT_EQ(fake.root().read("/sys/absent"), std::nullopt);
  EXPECT_EQ(fake.root().read("/sys/refused"), std::nullopt);
  EXPECT_TRUE(fake.root().exists("/sys/refused"));
  EXPECT_FALSE(fake.root().exists("/sys/absent"));
  EXPECT_THAT(fake.root().list("/sys/absent"), IsEmpty());
  EXPECT_THAT(fake.root().list("/sys"), ElementsAre("refused"));
}

TEST(SystemRoot, NumbersMustBeWhole) {
  test::fake_root fake;
  fake.put("/n", "-12").put("/x", "12 kB").put("/e", "");
  EXPECT_EQ(fake.root().read_number("/n"), -12);
  EXPECT_EQ(fake.root().read_number("/x"), std::nullopt);
  EXPECT_EQ(fake.root().read_number("/e"), std::nullopt);
}

TEST(SystemRoot, TheRealOneIsTheDefault) { EXPECT_TRUE(system_root().read("/proc/self/status")); }

TEST(SystemText, FieldsLinesWordsAndNumbers) {
  EXPECT_EQ(find_field("a\t: 1\nmodel name\t: Some CPU : x \nb: 2", "model name"), "Some CPU : x");
  EXPECT_EQ(find_field("cpu family : 6\n", "cpu"), std::nullopt);
  EXPECT_EQ(find_field("", "cpu"), std::nullopt);
  EXPECT_THAT(split_words("  a\tb  c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" "), IsEmpty());
  EXPECT_THAT(split_lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_EQ(to_real("0.25"), 0.25);
  EXPECT_EQ(to_real("nan"), std::nullopt);
  EXPECT_EQ(to_real("1,5"), std::nullopt);
  EXPECT_EQ(to_number("99999999999999999999"), std::nullopt);
}

}  // namespace
}  // namespace bb
