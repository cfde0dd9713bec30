#include "harness/cpu_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace bb {
namespace {

std::string cpufreq(unsigned cpu, std::string_view file) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/{}", cpu, file);
}

std::optional<std::string> distinct_words(const system_root& root,
                                          const std::vector<unsigned>& cpus,
                                          std::string_view file) {
  std::set<std::string> words;
  for (const unsigned cpu : cpus) {
    if (auto word = root.read(cpufreq(cpu, file)); word && !word->empty())
      words.insert(std::move(*word));
  }
  if (words.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(words, "+"));
}

std::vector<std::int64_t> clocks_mhz(const system_root& root, const std::vector<unsigned>& cpus,
                                     std::string_view file) {
  std::vector<std::int64_t> mhz;
  for (const unsigned cpu : cpus) {
    if (const auto khz = root.read_number(cpufreq(cpu, file))) mhz.push_back(*khz / 1000);
  }
  return mhz;
}

std::optional<bool> read_switch(const system_root& root, std::string_view path, std::int64_t on) {
  const auto value = root.read_number(path);
  return value ? std::optional(*value == on) : std::nullopt;
}

}  // namespace

std::optional<std::string> read_governor(const system_root& root,
                                         const std::vector<unsigned>& cpus) {
  return distinct_words(root, cpus, "scaling_governor");
}

std::optional<std::string> read_scaling_driver(const system_root& root,
                                               const std::vector<unsigned>& cpus) {
  return distinct_words(root, cpus, "scaling_driver");
}

std::optional<std::int64_t> read_min_mhz(const system_root& root,
                                         const std::vector<unsigned>& cpus) {
  const auto mhz = clocks_mhz(root, cpus, "scaling_min_freq");
  return mhz.empty() ? std::nullopt : std::optional(std::ranges::min(mhz));
}

std::optional<std::int64_t> read_max_mhz(const system_root& root,
                                         const std::vector<unsigned>& cpus) {
  const auto mhz = clocks_mhz(root, cpus, "scaling_max_freq");
  return mhz.empty() ? std::nullopt : std::optional(std::ranges::max(mhz));
}

std::optional<bool> read_turbo(const system_root& root) {
  if (const auto on = read_switch(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", 0))
    return on;
  return read_switch(root, "/sys/devices/system/cpu/cpufreq/boost", 1);
}

std::optional<bool> read_smt(const system_root& root) {
  return read_switch(root, "/sys/devices/system/cpu/smt/active", 1);
}

std::optional<std::string> read_thp(const system_root& root) {
  const auto text = root.read("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!text) return std::nullopt;
  const auto open = text->find('['), close = text->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return text->substr(open + 1, close - open - 1);
}

std::vector<double> read_load(const system_root& root) {
  const auto text = root.read("/proc/loadavg");
  if (!text) return {};
  const auto words = split_words(*text);
  std::vector<double> load;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, words.size()); ++i) {
    if (const auto value = to_real(words[i])) load.push_back(*value);
  }
  return load.size() == 3 ? load : std::vector<double>{};
}

}  // namespace bb
