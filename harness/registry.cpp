#include "harness/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/error.hpp"
#include "harness/text.hpp"

namespace bb {

registry::registry(std::vector<workload_info> workloads, std::vector<row> rows)
    : workloads_(std::move(workloads)), rows_(std::move(rows)) {}

const workload_info* registry::find_workload(std::string_view id) const {
  const auto it =
      std::find_if(workloads_.begin(), workloads_.end(), [&](const auto& w) { return w.id == id; });
  return it == workloads_.end() ? nullptr : &*it;
}

const row* registry::find_row(std::string_view id) const {
  const auto it =
      std::find_if(rows_.begin(), rows_.end(), [&](const auto& r) { return r.id == id; });
  return it == rows_.end() ? nullptr : &*it;
}

const workload_info& registry::workload(std::string_view id) const {
  if (const auto* found = find_workload(id)) return *found;
  std::vector<std::string> known;
  for (const auto& w : workloads_) known.emplace_back(w.id);
  throw usage_error(unknown_word("workload", id, known));
}

const row& registry::runtime(std::string_view id) const {
  if (const auto* found = find_row(id)) return *found;
  std::vector<std::string> known;
  for (const auto& r : rows_) known.push_back(r.id);
  throw usage_error(unknown_word("runtime", id, known));
}

const body_info* find_body(const row& r, std::string_view workload, std::string_view variant) {
  for (const auto& b : r.bodies)
    if (b.workload == workload && b.variant == variant) return &b;
  return nullptr;
}

std::string absent_reason(const row& r, const workload_info& w) {
  if (!r.absent.empty()) return r.absent;
  if (r.lacks != nullptr) return r.lacks();
  return fmt::format("{} has no {}", r.id, w.needs);
}

namespace {

const arm_spec& find_arm_key(const row& r, const std::string& key) {
  std::vector<std::string> known;
  for (const auto& a : r.arms) {
    if (a.key == key) return a;
    known.emplace_back(a.key);
  }
  if (known.empty())
    throw usage_error(
        fmt::format("--runtime: {} has no arms, so '{}/{}' cannot be", r.id, r.id, key));
  throw usage_error("--runtime: " + unknown_word(r.id + " arm", key, known));
}

void check_arm_value(const row& r, const arm_spec& spec, const std::string& text) {
  if (spec.values == "N") {
    std::uint64_t n = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool whole = fault == std::errc{} && end == text.data() + text.size();
    if (whole && n >= spec.least && n <= spec.most) return;
    throw usage_error(fmt::format("--runtime: {}/{} takes a whole number from {} to {}, not '{}'",
                                  r.id, spec.key, spec.least, spec.most, text));
  }
  const auto allowed = split(spec.values, ',');
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
    throw usage_error(
        fmt::format("--runtime: {}/{}: {}", r.id, spec.key, unknown_word("value", text, allowed)));
}

arm_values parse_arm(const row& r, std::string_view text) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& part : split(text, '+')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      throw usage_error(
          fmt::format("--runtime: '{}' in '{}/{}' is not key=value", part, r.id, text));
    const std::string key = part.substr(0, equals), word = part.substr(equals + 1);
    if (r.absent.empty()) check_arm_value(r, find_arm_key(r, key), word);
    for (const auto& [earlier, value] : items)
      if (earlier == key)
        throw usage_error(
            fmt::format("--runtime: '{}' is given twice in '{}/{}'", key, r.id, text));
    items.emplace_back(key, word);
  }
  return arm_values(std::move(items));
}

void add_all_arms(const row& r, std::vector<runtime_arm>& out) {
  out.push_back({&r, {}});
  for (const auto& spec : r.arms)
    for (const auto& word : split(spec.sweep, ','))
      out.push_back({&r, parse_arm(r, fmt::format("{}={}", spec.key, word))});
}

}  // namespace

std::vector<runtime_arm> parse_runtimes(const registry& table, std::string_view list) {
  std::vector<runtime_arm> out;
  for (const auto& item : split(list, ',')) {
    if (item == "all") {
      for (const auto& r : table.rows()) out.push_back({&r, {}});
      continue;
    }
    const auto slash = item.find('/');
    const row& r = table.runtime(item.substr(0, slash));
    if (slash == std::string::npos)
      out.push_back({&r, {}});
    else if (item.substr(slash + 1) == "*")
      add_all_arms(r, out);
    else
      out.push_back({&r, parse_arm(r, item.substr(slash + 1))});
  }
  if (out.empty()) throw usage_error("--runtime: the list is empty; `bb list` shows the runtimes");
  return out;
}

}  // namespace bb
