// Numbers in and out: every form of a list, every way to get one wrong, and the same bytes under a
// comma locale.

#include "harness/units.hpp"

#include <gmock/gmock.h>

#include <clocale>
#include <locale>
#include <sstream>

#include "harness/error.hpp"

namespace bb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using list = std::vector<std::uint64_t>;

constexpr symbol symbols[] = {{"max", 24}, {"cores", 12}, {"pus", 24}};
const list_rules threads{.option = "--threads", .limit = most_threads, .symbols = symbols};
const list_rules sizes{.option = "--size", .suffixes = true};

list values(std::string_view text) { return parse_list(text, threads).values; }

// The sentence with which `parse` refuses its input; fails the test if it accepts it.
template <class Parse>
std::string refusal(Parse parse) {
  try {
    parse();
  } catch (const usage_error& e) {
    EXPECT_EQ(e.exit_code(), 2);
    return e.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

struct list_case {
  std::string_view text;
  list values;
};

TEST(list, every_form) {
  const list_case cases[] = {
      {"4", {4}},
      {"1,2,6", {1, 2, 6}},
      {" 1 , 2 ", {1, 2}},
      {"6,1,2", {1, 2, 6}},
      {"1..24", {1, 2, 4, 8, 16, 24}},
      {"1..32", {1, 2, 4, 8, 16, 32}},
      {"3..20", {3, 6, 12, 20}},
      {"5..5", {5}},
      {"5..6", {5, 6}},
      {"1-4", {1, 2, 3, 4}},
      {"7-7", {7}},
      {"1..10:4", {1, 5, 9, 10}},
      {"1..9:4", {1, 5, 9}},
      {"2..3:100", {2, 3}},
      {"1..32*2", {1, 2, 4, 8, 16, 32}},
      {"1..100*3", {1, 3, 9, 27, 81, 100}},
      {"max", {24}},
      {"1..max", {1, 2, 4, 8, 16, 24}},
      {"cores-max", {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}},
      {"1,cores,pus", {1, 12, 24}},
      {"1-3,8..32,40", {1, 2, 3, 8, 16, 32, 40}},
      {"4096", {4096}},
  };
  for (const auto& c : cases) EXPECT_EQ(values(c.text), c.values) << c.text;
}

TEST(list, duplicates_are_removed_and_reported_once) {
  const auto parsed = parse_list("1,2,2,1..4,2", threads);
  EXPECT_THAT(parsed.values, ElementsAre(1, 2, 4));
  EXPECT_THAT(parsed.duplicates, ElementsAre(1, 2));
  EXPECT_THAT(parse_list("max,pus", threads).duplicates, ElementsAre(24));
  EXPECT_THAT(parse_list("1..8", threads).duplicates, ElementsAre());
}

TEST(list, the_longest_list) {
  EXPECT_EQ(values("1-4096").size(), 4096u);
  EXPECT_EQ(values("1..4096:1").size(), 4096u);
}

TEST(list, sizes_where_the_rules_allow_them) {
  EXPECT_THAT(parse_list("1K,100M", sizes).values, ElementsAre(1'000, 100'000'000));
  EXPECT_THAT(parse_list("1Ki..4Ki", sizes).values, ElementsAre(1024, 2048, 4096));
  EXPECT_THAT(parse_list("1K..1M*10", sizes).values,
              ElementsAre(1'000, 10'000, 100'000, 1'000'000));
}

TEST(list, ends_at_the_largest_number_without_wrapping) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(parse_list("18446744073709551614-18446744073709551615", sizes).values,
              ElementsAre(most - 1, most));
  EXPECT_EQ(parse_list("1..18446744073709551615", sizes).values.size(), 65u);
  EXPECT_THAT(parse_list("1..18446744073709551615:18446744073709551615", sizes).values,
              ElementsAre(1, most));
}

struct bad_list {
  std::string_view text, part, problem;
};

TEST(list, refuses_naming_the_part_and_what_would_do) {
  const bad_list cases[] = {
      {"", "''", "is empty"},
      {" ", "' '", "has an empty item"},
      {",", "','", "has an empty item"},
      {"1,,2", "'1,,2'", "has an empty item"},
      {"1,2,", "'1,2,'", "has an empty item"},
      {"0", "'0'", "is below 1"},
      {"1,0,4", "'0' in '1,0,4'", "is below 1"},
      {"0..8", "'0' in '0..8'", "is below 1"},
      {"0-3", "'0' in '0-3'", "is below 1"},
      {"-1", "'-1'", "is negative"},
      {"-4-8", "'-4' in '-4-8'", "is negative"},
      {"1..-4", "'-4' in '1..-4'", "is negative"},
      {"1--4", "'-4' in '1--4'", "is negative"},
      {"8..4", "'8..4'", "runs backwards (did you mean '4..8'?)"},
      {"2,8-4", "'8-4' in '2,8-4'", "runs backwards (did you mean '4-8'?)"},
      {"max..1", "'max..1'", "runs backwards (did you mean '1..max'?)"},
      {"4097", "'4097'", "is above 4096"},
      {"1..5000", "'5000' in '1..5000'", "is above 4096"},
      {"99999999999999999999", "'99999999999999999999'", "is too large"},
      {"1..", "'1..'", "lacks its last number"},
      {"..8", "'..8'", "lacks its first number"},
      {"..", "'..'", "lacks its first number"},
      {"4-", "'4-'", "lacks its last number"},
      {"1..8:", "'1..8:'", "lacks its step"},
      {"1..8*", "'1..8*'", "lacks its factor"},
      {"1..8:0", "'1..8:0'", "has a step of 0"},
      {"1..8*1", "'1..8*1'", "has a factor below 2"},
      {"1..8*0", "'1..8*0'", "has a factor below 2"},
      {"1..8:-2", "'-2' in '1..8:-2'", "is negative"},
      {"1-8:2", "'8:2' in '1-8:2'", "is not a whole number"},
      {"1...4", "'.4' in '1...4'", "is not a number"},
      {"1-2-3", "'2-3' in '1-2-3'", "is not a whole number"},
      {"1;2", "'1;2'", "is not a whole number"},
      {"2.5", "'2.5'", "is not a whole number"},
      {"1K", "'1K'", "is not a whole number"},
      {"1e3", "'1e3'", "is not a whole number"},
      {"0x10", "'0x10'", "is not a whole number"},
      {"+4", "'+4'", "is not a number"},
      {"1 2", "'1 2'", "is not a whole number"},
      {"mx", "'mx'", "is unknown (did you mean 'max'?)"},
      {"1..pu", "'pu' in '1..pu'", "is unknown (did you mean 'pus'?)"},
      {"many", "'many'", "is not a number"},
      {"\xef\xbc\x94", "'\xef\xbc\x94'", "is not a number"},
  };
  for (const auto& c : cases) {
    const auto sentence = refusal([&] { parse_list(c.text, threads); });
    EXPECT_THAT(sentence,
                HasSubstr(std::string("--threads: ").append(c.part).append(" ").append(c.problem)));
    EXPECT_THAT(sentence,
                HasSubstr("; use whole numbers from 1 to 4096, max, cores, pus; lists: 1,2,6"));
  }
}

TEST(list, refuses_a_list_that_is_too_long) {
  EXPECT_THAT(refusal([] { parse_list("1-100M", sizes); }),
              HasSubstr("makes the list longer than 65536 values"));
}

TEST(list, zero_where_the_rules_allow_it) {
  const list_rules from_zero{.option = "--stride", .least = 0};
  EXPECT_THAT(parse_list("0,8", from_zero).values, ElementsAre(0, 8));
  EXPECT_THAT(parse_list("0-2", from_zero).values, ElementsAre(0, 1, 2));
  EXPECT_THAT(parse_list("0..4:2", from_zero).values, ElementsAre(0, 2, 4));
  EXPECT_THAT(refusal([&] { parse_list("0..4", from_zero); }), HasSubstr("multiplies 0 for ever"));
}

TEST(size, every_suffix) {
  const std::pair<std::string_view, std::uint64_t> cases[] = {
      {"0", 0},
      {"1", 1},
      {"1K", 1'000},
      {"1k", 1'000},
      {"100M", 100'000'000},
      {"1.5G", 1'500'000'000},
      {"2T", 2'000'000'000'000},
      {"1Ki", 1024},
      {"1.5Ki", 1536},
      {"64Mi", std::uint64_t{64} << 20},
      {"24Gi", std::uint64_t{24} << 30},
      {"1Ti", std::uint64_t{1} << 40},
      {"1.500K", 1'500},
      {"2.0", 2},
      {"18446744073709551615", ~std::uint64_t{0}},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(parse_size(text, "--size"), value) << text;
}

TEST(size, refuses_naming_the_suffixes) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "'' is empty"},
      {"-1K", "is negative"},
      {"K", "is not a number"},
      {".5G", "is not a number"},
      {"1.", "is not a number"},
      {"1.2.3K", "is not a number"},
      {"1.0001K", "is not a whole number"},
      {"0.5", "is not a whole number"},
      {"1m", "ends in 'm', which is not a unit (did you mean 'M'?)"},
      {"1g", "ends in 'g', which is not a unit (did you mean 'G'?)"},
      {"1ki", "ends in 'ki', which is not a unit (did you mean 'Ki'?)"},
      {"1KB", "ends in 'KB', which is not a unit (did you mean 'K'?)"},
      {"1,5G", "ends in ',5G', which is not a unit"},
      {"1 K", "ends in ' K', which is not a unit"},
      {"18446744073709551616", "is too large"},
      {"18446744073709552K", "is too large"},
      {"16777216Ti", "is too large"},
      {"0.00000000000000000000001T", "is not a whole number"},
  };
  for (const auto& [text, problem] : cases) {
    const auto sentence = refusal([&] { parse_size(text, "--size"); });
    EXPECT_THAT(sentence, HasSubstr(problem));
    EXPECT_THAT(sentence, HasSubstr("K M G T (x1000) or Ki Mi Gi Ti (x1024)"));
  }
}

TEST(duration, every_unit) {
  const std::pair<std::string_view, std::uint64_t> cases[] = {
      {"0", 0},
      {"0s", 0},
      {"7ns", 7},
      {"50us", 50'000},
      {"100ms", 100'000'000},
      {"2s", 2'000'000'000},
      {"1.5m", 90'000'000'000},
      {"1h", 3'600'000'000'000},
      {"0.25us", 250},
  };
  for (const auto& [text, ns] : cases) EXPECT_EQ(parse_duration_ns(text, "--time"), ns) << text;
}

TEST(duration, refuses_naming_the_units) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "is empty"},
      {"5", "has no unit"},
      {"-1s", "is negative"},
      {"1sec", "ends in 'sec'"},
      {"0.5ns", "is not a whole number"},
      {"99999999h", "is too large"},
      {"S", "is not a number"},
      {"1MS", "ends in 'MS', which is not a unit (did you mean 'ms'?)"},
  };
  for (const auto& [text, problem] : cases) {
    const auto sentence = refusal([&] { parse_duration_ns(text, "--time"); });
    EXPECT_THAT(sentence, HasSubstr(problem));
    EXPECT_THAT(sentence, HasSubstr("ns us ms s m h"));
  }
}

TEST(percent, is_a_fraction) {
  EXPECT_DOUBLE_EQ(parse_percent("5%", "--threshold"), 0.05);
  EXPECT_DOUBLE_EQ(parse_percent("0.5%", "--threshold"), 0.005);
  EXPECT_EQ(parse_percent("0%", "--threshold"), 0);
  EXPECT_EQ(parse_percent("100%", "--threshold"), 1);
  EXPECT_EQ(parse_percent("300%", "--threshold", 500), 3);
}

TEST(percent, refuses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"5", "has no % sign"},      {"", "is empty"},           {"%", "is not a number"},
      {"-5%", "is negative"},      {"101%", "is above 100%"},  {"5 %", "is not a number"},
      {"1e1%", "is not a number"}, {"5%%", "is not a number"}, {"nan%", "is not a number"},
  };
  for (const auto& [text, problem] : cases)
    EXPECT_THAT(refusal([&] { parse_percent(text, "--threshold"); }), HasSubstr(problem)) << text;
}

TEST(format, ns_has_three_digits_and_a_unit) {
  const std::pair<double, std::string_view> cases[] = {
      {0, "0 ns"},        {0.00123, "0.00123 ns"}, {0.45, "0.450 ns"},  {1, "1.00 ns"},
      {9.994, "9.99 ns"}, {9.996, "10.0 ns"},      {12.34, "12.3 ns"},  {999.4, "999 ns"},
      {999.5, "1.00 us"}, {1234, "1.23 us"},       {12.3e6, "12.3 ms"}, {45e9, "45.0 s"},
      {999e9, "999 s"},   {1000e9, "16.7 min"},    {1e13, "167 min"},   {1e15, "278 h"},
      {1e17, "27778 h"},  {-0.12, "-0.120 ns"},    {-2500, "-2.50 us"},
  };
  for (const auto& [ns, text] : cases) EXPECT_EQ(format_ns(ns), text);
  EXPECT_EQ(format_ns(std::numeric_limits<double>::quiet_NaN()), "n/a");
  EXPECT_EQ(format_ns(std::numeric_limits<double>::infinity()), "n/a");
}

TEST(format, counts_take_a_suffix_only_where_exact_and_read_back) {
  const std::pair<std::uint64_t, std::string_view> cases[] = {
      {0, "0"},
      {7, "7"},
      {1000, "1K"},
      {1024, "1024"},
      {1500, "1500"},
      {1'500'000, "1500K"},
      {100'000'000, "100M"},
      {1'000'000'000, "1G"},
      {5'000'000'000'000'000, "5000T"},
      {~std::uint64_t{0}, "18446744073709551615"},
  };
  for (const auto& [count, text] : cases) {
    EXPECT_EQ(format_count(count), text);
    EXPECT_EQ(parse_size(text, "--size"), count);
  }
}

TEST(format, bytes_and_percentages) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(1023.7), "1.00 KiB");
  EXPECT_EQ(format_bytes(24.0 * (1 << 30)), "24.0 GiB");
  EXPECT_EQ(format_bytes(-4096), "-4.00 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<double>::quiet_NaN()), "n/a");
  EXPECT_EQ(format_percent(0.05), "5.00%");
  EXPECT_EQ(format_percent(-0.123), "-12.3%");
  EXPECT_EQ(format_percent(1), "100%");
  EXPECT_EQ(format_percent(0.0999999), "10.0%");
  EXPECT_EQ(format_percent(0), "0.00%");
  EXPECT_EQ(format_percent(-0.00001), "0.00%");
  EXPECT_EQ(format_bytes(-0.0), "0 B");
  EXPECT_EQ(format_ns(-0.0), "0 ns");
  EXPECT_EQ(format_percent(std::numeric_limits<double>::infinity()), "n/a");
}

// ---- locale

struct comma_facet : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// A comma as decimal mark for the time of one test: always in the C++ locale, in C where the system
// has such a locale.
class comma_locale {
 public:
  comma_locale()
      : before_(std::locale::global(std::locale(std::locale::classic(), new comma_facet))) {
    for (const char* name :
         {"de_DE.UTF-8", "de_DE.utf8", "pl_PL.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
      if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  ~comma_locale() {
    std::setlocale(LC_ALL, "C");
    std::locale::global(before_);
  }

 private:
  std::locale before_;
};

TEST(locale, the_same_bytes_under_a_comma_locale) {
  const comma_locale scope;
  std::ostringstream proof;
  proof << 1234.5;
  EXPECT_EQ(proof.str(), "1.234,5");  // the locale is in force
  EXPECT_EQ(format_ns(1234.5), "1.23 us");
  EXPECT_EQ(format_ns(0.45), "0.450 ns");
  EXPECT_EQ(format_significant(1234567), "1234567");
  EXPECT_EQ(format_bytes(1.5 * (1 << 30)), "1.50 GiB");
  EXPECT_EQ(format_percent(0.0123), "1.23%");
  EXPECT_EQ(parse_size("1.5G", "--size"), 1'500'000'000u);
  EXPECT_EQ(parse_duration_ns("1.5s", "--time"), 1'500'000'000u);
  EXPECT_DOUBLE_EQ(parse_percent("0.5%", "--threshold"), 0.005);
  EXPECT_THAT(refusal([] { parse_list("4097", threads); }), HasSubstr("from 1 to 4096"));
}

}  // namespace
}  // namespace bb
