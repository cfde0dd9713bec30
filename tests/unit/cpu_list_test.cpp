#include "harness/cpu_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace bb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal_of(std::string_view text) {
  try {
    (void)parse_cpu_list(text);
  } catch (const usage_error& refused) {
    EXPECT_EQ(refused.exit_code(), 2);
    return refused.what();
  }
  return "accepted";
}

TEST(CpuList, ReadsWhatTasksetReads) {
  EXPECT_THAT(parse_cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_cpu_list("0-10:2"), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(parse_cpu_list("1-10:4,0"), ElementsAre(1, 5, 9, 0));
  EXPECT_THAT(parse_cpu_list("65535"), ElementsAre(65535));
}

TEST(CpuList, KeepsTheOrderWritten) { EXPECT_THAT(parse_cpu_list("5,1,3"), ElementsAre(5, 1, 3)); }

TEST(CpuList, NamesTheWrongPart) {
  EXPECT_THAT(refusal_of("0-3,x,8"), HasSubstr("'x' is not a CPU number or a range"));
  EXPECT_THAT(refusal_of("0,3-1"), HasSubstr("'3-1' runs backwards"));
  EXPECT_THAT(refusal_of("0-8:0"), HasSubstr("'0-8:0' has a stride of 0"));
  EXPECT_THAT(refusal_of("0-3,2"), HasSubstr("'2' names CPU 2 a second time"));
  EXPECT_THAT(refusal_of("0-4294967295"), HasSubstr("is above 65535"));
  EXPECT_THAT(refusal_of("99999999999999999999"), HasSubstr("is above 65535"));
  for (const auto* text :
       {"", ",", "1,", "-1", "1-", "1-2:", "1:2", " 1", "1 ", "0x1", "1.5", "+1", "1--2"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("0-3,8,16-30:2")) << text;
  }
}

TEST(CpuList, KernelTextNeverThrows) {
  EXPECT_THAT(read_cpu_list("0-1,4\n"), ElementsAre(0, 1, 4));
  EXPECT_THAT(read_cpu_list("\n"), IsEmpty());
  EXPECT_THAT(read_cpu_list("nonsense"), IsEmpty());
}

TEST(CpuList, WritesRunsSortedAndOnce) {
  EXPECT_EQ(format_cpu_list({8, 0, 2, 1, 2}), "0-2,8");
  EXPECT_EQ(format_cpu_list({3}), "3");
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({0, 1, 3, 4, 6}), "0-1,3-4,6");
}

}  // namespace
}  // namespace bb
