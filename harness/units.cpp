#include "harness/units.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "harness/error.hpp"
#include "harness/suggest.hpp"

namespace bb {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kibi = 1024;
constexpr std::array size_units{unit{"", 1},
                                unit{"K", 1'000},
                                unit{"k", 1'000},
                                unit{"M", 1'000'000},
                                unit{"G", 1'000'000'000},
                                unit{"T", 1'000'000'000'000},
                                unit{"Ki", kibi},
                                unit{"Mi", kibi* kibi},
                                unit{"Gi", kibi* kibi* kibi},
                                unit{"Ti", kibi* kibi* kibi* kibi}};
constexpr std::array duration_units{unit{"ns", 1},
                                    unit{"us", 1'000},
                                    unit{"ms", 1'000'000},
                                    unit{"s", 1'000'000'000},
                                    unit{"m", 60'000'000'000},
                                    unit{"h", 3'600'000'000'000}};

constexpr std::string_view size_remedy =
    "write a whole number, or one with K M G T (x1000) or Ki Mi Gi Ti (x1024)";
constexpr std::string_view duration_remedy =
    "write a number and a unit of ns us ms s m h, such as 100ms or 2s";

// What is being parsed, for errors: the option, its whole text, and how to do it right.
struct source {
  std::string_view option, text, remedy;
};

[[noreturn]] void refuse(const source& from, std::string_view part, std::string_view problem) {
  const bool whole = part == from.text || part.empty();
  const auto where =
      whole ? fmt::format("'{}'", from.text) : fmt::format("'{}' in '{}'", part, from.text);
  throw usage_error(fmt::format("{}: {} {}; {}", from.option, where, problem, from.remedy));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A decimal number without sign and exponent: mantissa / 10^decimals.
struct decimal {
  std::uint64_t mantissa;
  std::size_t decimals;
};

void check_number(const source& from, std::string_view part) {
  if (part.empty()) refuse(from, part, "is empty");
  if (part[0] == '-') refuse(from, part, "is negative");
  if (!is_digit(part[0])) refuse(from, part, "is not a number");
}

decimal parse_decimal(const source& from, std::string_view part, std::string_view number) {
  const auto point = number.find('.');
  std::string digits(number.substr(0, point));
  std::size_t decimals = 0;
  if (point != number.npos) {
    auto fraction = number.substr(point + 1);
    if (fraction.empty() || fraction.find('.') != fraction.npos)
      refuse(from, part, "is not a number");
    while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    digits += fraction;
    decimals = fraction.size();
  }
  std::uint64_t mantissa = 0;
  const auto end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, mantissa).ec != std::errc{})
    refuse(from, part, "is too large or too fine");
  return {mantissa, decimals};
}

__extension__ using wide = unsigned __int128;

// number x factor, or nothing if that is not whole. Exact: 64 bits times 64 bits fit in 128.
std::optional<wide> times(decimal number, std::uint64_t factor) {
  wide product = static_cast<wide>(number.mantissa) * factor;
  for (std::size_t i = 0; i < number.decimals; ++i) {
    if (product % 10 != 0) return std::nullopt;
    product /= 10;
  }
  return product;
}

const unit& find_unit(const source& from, std::string_view part, std::string_view name,
                      std::span<const unit> units) {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const unit& u) { return u.name == name; });
  if (found != units.end()) return *found;
  if (units.size() == 1) refuse(from, part, "is not a whole number");
  if (name.empty()) refuse(from, part, "has no unit");
  std::vector<std::string_view> names;
  for (const auto& u : units)
    if (!u.name.empty()) names.push_back(u.name);
  const auto near = nearest(name, names);
  refuse(from, part,
         fmt::format("ends in '{}', which is not a unit{}", name,
                     near ? fmt::format(" (did you mean '{}'?)", *near) : ""));
}

std::uint64_t parse_quantity(const source& from, std::string_view part,
                             std::span<const unit> units) {
  check_number(from, part);
  const auto suffix = std::min(part.find_first_not_of("0123456789."), part.size());
  const auto& scale = find_unit(from, part, part.substr(suffix), units);
  const auto value = times(parse_decimal(from, part, part.substr(0, suffix)), scale.factor);
  if (!value) refuse(from, part, "is not a whole number");
  if (*value > std::numeric_limits<std::uint64_t>::max()) refuse(from, part, "is too large");
  return static_cast<std::uint64_t>(*value);
}

// ---- lists

std::string list_remedy(const list_rules& rules) {
  auto text = fmt::format("use whole numbers from {}", rules.least);
  if (rules.limit != std::numeric_limits<std::uint64_t>::max())
    text += fmt::format(" to {}", rules.limit);
  if (rules.suffixes) text += " (1K = 1000, 1Ki = 1024)";
  for (const auto& s : rules.symbols) text += fmt::format(", {}", s.name);
  return text + "; lists: 1,2,6  1-4 (every)  1..24 (doubling)  1..24:4 (steps)";
}

// Parses the items of one list and collects their values.
class list_parser {
 public:
  list_parser(std::string_view text, const list_rules& rules)
      : rules_(rules), remedy_(list_remedy(rules)), from_{rules.option, text, remedy_} {}

  std::vector<std::uint64_t> parse() {
    for (std::size_t begin = 0; begin <= from_.text.size();) {
      const auto end = std::min(from_.text.find(',', begin), from_.text.size());
      item(trimmed(from_.text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return std::move(values_);
  }

 private:
  void item(std::string_view part) {
    if (part.empty()) refuse(from_, part, from_.text.empty() ? "is empty" : "has an empty item");
    if (const auto dots = part.find(".."); dots != part.npos) {
      range(part, part.substr(0, dots), part.substr(dots + 2));
    } else if (const auto dash = part.find('-', 1); dash != part.npos) {
      every(part, part.substr(0, dash), part.substr(dash + 1));
    } else {
      add(part, endpoint(part));
    }
  }

  void every(std::string_view part, std::string_view first, std::string_view last) {
    check_ends(part, first, last);
    const auto from = endpoint(first), to = endpoint(last);
    check_order(part, from, to, first, last, "-");
    add_steps(part, from, to, 1);
  }

  void range(std::string_view part, std::string_view first, std::string_view rest) {
    const auto mark = std::min(rest.find_first_of(":*"), rest.size());
    check_ends(part, first, rest.substr(0, mark));
    const auto from = endpoint(first), to = endpoint(rest.substr(0, mark));
    check_order(part, from, to, first, rest.substr(0, mark), "..");
    if (mark == rest.size()) return add_multiples(part, from, to, 2);
    const bool factor = rest[mark] == '*';
    if (mark + 1 == rest.size())
      refuse(from_, part, factor ? "lacks its factor" : "lacks its step");
    const auto by = number(rest.substr(mark + 1));
    if (factor && by < 2) refuse(from_, part, "has a factor below 2");
    if (by < 1) refuse(from_, part, "has a step of 0");
    factor ? add_multiples(part, from, to, by) : add_steps(part, from, to, by);
  }

  void add_steps(std::string_view part, std::uint64_t from, std::uint64_t to, std::uint64_t step) {
    for (auto value = from; value < to; value += step) {
      add(part, value);
      if (to - value <= step) break;  // also keeps `value` from wrapping round
    }
    add(part, to);
  }

  void add_multiples(std::string_view part, std::uint64_t from, std::uint64_t to,
                     std::uint64_t factor) {
    if (from == 0) refuse(from_, part, "multiplies 0 for ever");
    for (auto value = from; value < to; value *= factor) {
      add(part, value);
      if (value > to / factor) break;
    }
    add(part, to);
  }

  std::uint64_t number(std::string_view part) const {
    const auto units = std::span(size_units).first(rules_.suffixes ? size_units.size() : 1);
    return parse_quantity(from_, part, units);
  }

  std::uint64_t endpoint(std::string_view part) const {
    const auto value = !part.empty() && is_letter(part[0]) ? named(part) : number(part);
    if (value < rules_.least) refuse(from_, part, fmt::format("is below {}", rules_.least));
    if (value > rules_.limit) refuse(from_, part, fmt::format("is above {}", rules_.limit));
    return value;
  }

  std::uint64_t named(std::string_view part) const {
    std::vector<std::string_view> names;
    for (const auto& s : rules_.symbols) {
      if (s.name == part) return s.value;
      names.push_back(s.name);
    }
    const auto near = nearest(part, names);
    refuse(from_, part,
           near ? fmt::format("is unknown (did you mean '{}'?)", *near) : "is not a number");
  }

  void check_ends(std::string_view part, std::string_view first, std::string_view last) const {
    if (first.empty()) refuse(from_, part, "lacks its first number");
    if (last.empty()) refuse(from_, part, "lacks its last number");
  }

  void check_order(std::string_view part, std::uint64_t from, std::uint64_t to,
                   std::string_view first, std::string_view last, std::string_view sign) const {
    if (from <= to) return;
    refuse(from_, part, fmt::format("runs backwards (did you mean '{}{}{}'?)", last, sign, first));
  }

  void add(std::string_view part, std::uint64_t value) {
    if (values_.size() >= rules_.most_values)
      refuse(from_, part, fmt::format("makes the list longer than {} values", rules_.most_values));
    values_.push_back(value);
  }

  const list_rules& rules_;
  std::string remedy_;
  source from_;
  std::vector<std::uint64_t> values_;
};

// ---- formatting

struct display_unit {
  std::string_view name;
  double factor;
};

// Picks the first unit in which three digits suffice: 999.4 ns, but 1.00 us for 999.5 ns.
std::string format_scaled(double value, std::span<const display_unit> units, double step) {
  if (!std::isfinite(value)) return "n/a";
  const auto fits = [&](const display_unit& u) { return std::abs(value) / u.factor < step - 0.5; };
  const auto last = units.end() - 1;
  const auto chosen = std::find_if(units.begin(), last, fits);
  return fmt::format("{} {}", format_significant(value / chosen->factor), chosen->name);
}

}  // namespace

std::uint64_t parse_size(std::string_view text, std::string_view option) {
  return parse_quantity({option, text, size_remedy}, text, size_units);
}

std::uint64_t parse_duration_ns(std::string_view text, std::string_view option) {
  if (text == "0") return 0;
  return parse_quantity({option, text, duration_remedy}, text, duration_units);
}

double parse_percent(std::string_view text, std::string_view option, double most_percent) {
  const auto remedy = fmt::format("write a percentage from 0% to {}%, such as 5%", most_percent);
  const source from{option, text, remedy};
  check_number(from, text);
  if (text.back() != '%') refuse(from, text, "has no % sign");
  const auto number = text.substr(0, text.size() - 1);
  double percent = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), percent,
                                              std::chars_format::fixed);
  if (failure != std::errc{} || end != number.data() + number.size())
    refuse(from, text, "is not a number");
  if (percent > most_percent) refuse(from, text, fmt::format("is above {}%", most_percent));
  return percent / 100;
}

number_list parse_list(std::string_view text, const list_rules& rules) {
  number_list list{list_parser(text, rules).parse(), {}};
  auto& values = list.values;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] == values[i - 1]) list.duplicates.push_back(values[i]);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  auto& twice = list.duplicates;
  twice.erase(std::unique(twice.begin(), twice.end()), twice.end());
  return list;
}

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  // The exponent after rounding: 9.996 has the exponent of 10.0.
  const auto scientific = fmt::format("{:.{}e}", value, digits - 1);
  const char* sign = scientific.data() + scientific.find('e') + 1;
  int exponent = 0;
  std::from_chars(*sign == '+' ? sign + 1 : sign, scientific.data() + scientific.size(), exponent);
  return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - exponent, 0, 9));
}

std::string format_ns(double ns) {
  static constexpr std::array units{display_unit{"ns", 1},     display_unit{"us", 1e3},
                                    display_unit{"ms", 1e6},   display_unit{"s", 1e9},
                                    display_unit{"min", 60e9}, display_unit{"h", 3600e9}};
  return format_scaled(ns, units, 1000);
}

std::string format_count(std::uint64_t count) {
  std::string_view suffix;
  for (const auto next : {"K", "M", "G", "T"}) {
    if (count == 0 || count % 1000 != 0) break;
    count /= 1000;
    suffix = next;
  }
  return fmt::format("{}{}", count, suffix);
}

std::string format_bytes(double bytes) {
  static constexpr double ki = 1024;
  static constexpr std::array units{display_unit{"B", 1}, display_unit{"KiB", ki},
                                    display_unit{"MiB", ki * ki}, display_unit{"GiB", ki * ki * ki},
                                    display_unit{"TiB", ki * ki * ki * ki}};
  const bool whole = bytes == std::floor(bytes) && std::abs(bytes) < ki;
  return whole ? fmt::format("{:.0f} B", bytes + 0.0) : format_scaled(bytes, units, ki);
}

std::string format_percent(double fraction) {
  const double exact = fraction * 100;
  if (!std::isfinite(exact)) return "n/a";
  const double percent = std::abs(exact) < 0.005 ? 0 : exact;  // no "-0.00%"
  const int decimals = std::abs(percent) < 9.995 ? 2 : std::abs(percent) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}%", percent, decimals);
}

}  // namespace bb
