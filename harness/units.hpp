#pragma once
// Numbers as people write them on a command line, and as they read them in a table.
//
// Parsing is exact (integer arithmetic, no rounding: `1.5G` is 1500000000, `1.0001K` is refused)
// and, like formatting, independent of the locale. Every parser throws usage_error with one
// sentence that names the option, the part that is wrong and the values that would do.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bb {

/// A size or count: `4096`, `1K`, `1.5G`, `64Ki`. K M G T are powers of 1000, Ki Mi Gi Ti powers of
/// 1024. Suffixes are case sensitive, since `m` could mean milli; the one exception is `k`, which
/// means K.
std::uint64_t parse_size(std::string_view text, std::string_view option);

/// A length of time in nanoseconds: `50us`, `100ms`, `2s`, `1.5m`, `1h`. A unit is required, except
/// for `0`.
std::uint64_t parse_duration_ns(std::string_view text, std::string_view option);

/// `5%` as the fraction 0.05. From 0% to `most_percent`.
double parse_percent(std::string_view text, std::string_view option, double most_percent = 100);

/// A word that stands for a number in a list, such as `cores` on this machine.
struct symbol {
  std::string_view name;
  std::uint64_t value;
};

/// What a list may contain.
struct list_rules {
  std::string_view option;  // named in errors, such as "--threads"
  std::uint64_t least = 1;  // smallest value allowed
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();  // largest value allowed
  std::span<const symbol> symbols{};  // words allowed in place of numbers
  bool suffixes = false;              // numbers may be sizes: `1K`, `64Ki`
  std::size_t most_values = 65536;    // a list that makes more is refused
};

struct number_list {
  std::vector<std::uint64_t> values;  // ascending, without duplicates, never empty
  std::vector<std::uint64_t>
      duplicates;  // what was asked for more than once, ascending; worth a note
};

/// A list of whole numbers, comma-separated. An item is one of
///
///     6           a number (or a symbol, or a size where the rules allow them)
///     a-b         every whole number from a to b
///     a..b        a, 2a, 4a, ... and b:  1..24 = 1,2,4,8,16,24
///     a..b*k      the same with factor k
///     a..b:s      a, a+s, a+2s, ... and b:  1..10:4 = 1,5,9,10
///
/// Both ends of a range are always in it. Blanks around an item are ignored.
number_list parse_list(std::string_view text, const list_rules& rules);

/// The largest number of threads that any list accepts.
inline constexpr std::uint64_t most_threads = 4096;

/// Three significant digits, never an exponent: `0.450`, `12.3`, `4096`. `n/a` for what is not
/// finite.
std::string format_significant(double value, int digits = 3);

/// A time with three significant digits and its unit: `0.450 ns`, `1.23 us`, `12.3 ms`, `45.0 s`,
/// `16.7 min`, `2.78 h`.
std::string format_ns(double ns);

/// A count with a decimal suffix where that is exact: 100000000 is `100M`, 1500 is `1500`.
/// parse_size() reads it back.
std::string format_count(std::uint64_t count);

/// A number of bytes with three significant digits and a binary unit: `512 B`, `1.50 GiB`.
std::string format_bytes(double bytes);

/// A fraction as a percentage with three significant digits, at most two decimals: 0.05 is `5.00%`.
std::string format_percent(double fraction);

}  // namespace bb
