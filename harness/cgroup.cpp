#include "harness/cgroup.hpp"

#include <algorithm>
#include <string_view>

namespace bb {
namespace {

/// Items of a list such as "rw,cpu,cpuacct".
bool contains_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == item) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// mountinfo writes blanks and the like in octal: "\040".
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

struct mount {
  std::string root;   // which part of the cgroup tree is mounted
  std::string point;  // where
};

/// Line: id parent major:minor root point options [tags...] - type source super-options
std::optional<mount> find_mount(const std::string& mountinfo, bool v2) {
  for (const auto line : split_lines(mountinfo)) {
    const auto words = split_words(line);
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const bool fits =
        v2 ? dash[1] == "cgroup2" : dash[1] == "cgroup" && contains_item(dash[3], "cpu");
    if (fits) return mount{unescaped(words[3]), unescaped(words[4])};
  }
  return std::nullopt;
}

/// Line: id:controllers:path, version 2 with id 0 and no controllers.
std::optional<std::string> find_path(const std::string& cgroups, bool v2) {
  for (const auto line : split_lines(cgroups)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : contains_item(controllers, "cpu"))
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

/// The path below the mount point. A path outside of what is mounted (a container without a cgroup namespace, or one
/// that sees "/../other") leaves the mount point, which is then the container's own group.
std::string path_below(const mount& where, const std::string& path) {
  const std::string top = where.root == "/" ? "" : where.root;
  const bool inside =
      path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
  if (!inside || path.find("/..") != std::string::npos) return {};
  const auto below = path.substr(top.size());
  return below == "/" ? std::string() : below;
}

std::vector<std::string> levels_of(const system_root& root, bool v2) {
  const auto mountinfo = root.read("/proc/self/mountinfo");
  const auto cgroups = root.read("/proc/self/cgroup");
  if (!mountinfo || !cgroups) return {};
  const auto where = find_mount(*mountinfo, v2);
  const auto path = find_path(*cgroups, v2);
  if (!where || !path) return {};
  std::vector<std::string> levels;
  for (auto below = path_below(*where, *path); !below.empty(); below.erase(below.rfind('/'))) {
    levels.push_back(where->point + below);
  }
  levels.push_back(where->point);
  return levels;
}

std::optional<double> ratio(std::optional<std::int64_t> quota_us,
                            std::optional<std::int64_t> period_us) {
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

/// cpu.max: "150000 100000" or "max 100000".
std::optional<double> quota_v2(const system_root& root, const std::string& level) {
  const auto text = root.read(level + "/cpu.max");
  if (!text) return std::nullopt;
  const auto words = split_words(*text);
  if (words.size() != 2) return std::nullopt;
  return ratio(to_number(words[0]), to_number(words[1]));
}

std::optional<double> quota_v1(const system_root& root, const std::string& level) {
  return ratio(root.read_number(level + "/cpu.cfs_quota_us"),
               root.read_number(level + "/cpu.cfs_period_us"));
}

/// cpu.stat: "nr_throttled 5", "throttled_usec 123" (version 2) or "throttled_time 123000" in ns (version 1).
std::optional<cpu_throttling> throttling_at(const system_root& root, const std::string& level) {
  const auto text = root.read(level + "/cpu.stat");
  if (!text) return std::nullopt;
  cpu_throttling total;
  bool told = false;
  for (const auto line : split_lines(*text)) {
    const auto words = split_words(line);
    const auto value = words.size() == 2 ? to_number(words[1]) : std::nullopt;
    if (!value || *value < 0) continue;
    if (words[0] == "nr_throttled") total.times = static_cast<std::uint64_t>(*value), told = true;
    if (words[0] == "throttled_usec") total.microseconds = static_cast<std::uint64_t>(*value);
    if (words[0] == "throttled_time")
      total.microseconds = static_cast<std::uint64_t>(*value) / 1000;
  }
  return told ? std::optional(total) : std::nullopt;
}

}  // namespace

cgroup_levels find_cgroup_levels(const system_root& root) {
  return {levels_of(root, false), levels_of(root, true)};
}

std::optional<double> read_cpu_quota(const system_root& root) {
  const auto levels = find_cgroup_levels(root);
  std::optional<double> tightest;
  const auto take = [&](std::optional<double> quota) {
    if (quota && (!tightest || *quota < *tightest)) tightest = quota;
  };
  for (const auto& level : levels.v1) take(quota_v1(root, level));
  for (const auto& level : levels.v2) take(quota_v2(root, level));
  return tightest;
}

std::optional<cpu_throttling> read_cpu_throttling(const system_root& root) {
  const auto levels = find_cgroup_levels(root);
  std::optional<cpu_throttling> total;
  for (const auto* version : {&levels.v1, &levels.v2}) {
    for (const auto& level : *version) {
      const auto here = throttling_at(root, level);
      if (!here) continue;
      if (!total) total.emplace();
      total->times += here->times;
      total->microseconds += here->microseconds;
    }
  }
  return total;
}

}  // namespace bb
