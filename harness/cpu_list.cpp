#include "harness/cpu_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "harness/error.hpp"

namespace bb {
namespace {

struct range {
  unsigned first;
  unsigned last;
  unsigned step;
};

[[noreturn]] void refuse(std::string_view part, std::string_view why) {
  throw usage_error(fmt::format(
      "CPU list: '{}' {}; write numbers, ranges and strides as taskset does: 0-3,8,16-30:2", part,
      why));
}

unsigned parse_number(std::string_view digits, std::string_view part) {
  unsigned value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure == std::errc::result_out_of_range || value > max_cpu_number) {
    refuse(part, fmt::format("is above {}, the largest CPU number known here", max_cpu_number));
  }
  if (failure != std::errc{} || end != digits.data() + digits.size())
    refuse(part, "is not a CPU number or a range");
  return value;
}

range parse_range(std::string_view part) {
  const auto dash = part.find('-');
  if (dash == std::string_view::npos) {
    const unsigned only = parse_number(part, part);
    return {only, only, 1};
  }
  const auto colon = part.find(':', dash);
  const bool strided = colon != std::string_view::npos;
  const unsigned first = parse_number(part.substr(0, dash), part);
  const unsigned last =
      parse_number(part.substr(dash + 1, strided ? colon - dash - 1 : colon), part);
  const unsigned step = strided ? parse_number(part.substr(colon + 1), part) : 1;
  if (last < first) refuse(part, "runs backwards");
  if (step == 0) refuse(part, "has a stride of 0");
  return {first, last, step};
}

}  // namespace

std::vector<unsigned> parse_cpu_list(std::string_view text) {
  if (text.empty()) refuse(text, "names no CPU");
  std::vector<unsigned> cpus;
  std::set<unsigned> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto part = text.substr(begin, end - begin);
    const auto [first, last, step] = parse_range(part);
    for (unsigned cpu = first; cpu <= last; cpu += step) {
      if (!seen.insert(cpu).second) refuse(part, fmt::format("names CPU {} a second time", cpu));
      cpus.push_back(cpu);
    }
    begin = end + 1;
  }
  return cpus;
}

std::vector<unsigned> read_cpu_list(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  try {
    return parse_cpu_list(text);
  } catch (const std::exception&) {
    return {};
  }
}

std::string format_cpu_list(std::vector<unsigned> cpus) {
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text +=
        end - i == 1 ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace bb
