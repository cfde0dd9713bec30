#include "harness/pin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "harness/cpu_list.hpp"
#include "harness/error.hpp"
#include "harness/suggest.hpp"

namespace bb {
namespace {

using order = std::vector<processor>;
using level = unsigned processor::*;

struct policy_name {
  std::string_view name;
  pin_kind kind;
};

constexpr std::array names{
    policy_name{"core", pin_kind::core},     policy_name{"compact", pin_kind::compact},
    policy_name{"spread", pin_kind::spread}, policy_name{"numa", pin_kind::numa},
    policy_name{"l3", pin_kind::l3},         policy_name{"pcore", pin_kind::pcore},
    policy_name{"ecore", pin_kind::ecore},   policy_name{"none", pin_kind::none},
};

constexpr std::array aliases{
    policy_name{"scatter", pin_kind::spread},
    policy_name{"ccx", pin_kind::l3},
};

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> known;
  for (const auto& entry : names) known.push_back(entry.name);
  known.insert(known.end(), {"list:0-3,8", "list:L#0-3"});
  return known;
}

pin_policy parse_list(std::string_view text) {
  constexpr std::string_view prefix = "list:";
  constexpr std::string_view logical = "L#";
  pin_policy policy{pin_kind::list, {}, false, std::string(text)};
  auto cpus = text.substr(prefix.size());
  policy.logical = cpus.starts_with(logical);
  if (policy.logical) cpus.remove_prefix(logical.size());
  policy.list = parse_cpu_list(cpus);
  return policy;
}

/// Order of use inside one group of PUs: cores before siblings, fast cores before slow ones.
auto core_first(const processor& pu) { return std::tuple(pu.smt_rank, -pu.speed_rank, pu.logical); }

order by_core(order pus) {
  std::ranges::sort(pus, {}, core_first);
  return pus;
}

std::vector<order> split(const order& pus, level where) {
  std::vector<order> groups;
  std::map<unsigned, std::size_t> index;  // groups in the order in which they are first met
  for (const auto& pu : pus) {
    const auto [found, fresh] = index.emplace(pu.*where, groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(pu);
  }
  return groups;
}

order by_group(const order& pus, level where) {
  order result;
  for (const auto& group : split(pus, where)) {
    for (const auto& pu : by_core(group)) result.push_back(pu);
  }
  return result;
}

order round_robin(const std::vector<order>& groups) {
  order result;
  for (std::size_t turn = 0, taken = 1; taken > 0; ++turn) {
    taken = 0;
    for (const auto& group : groups) {
      if (turn >= group.size()) continue;
      result.push_back(group[turn]);
      ++taken;
    }
  }
  return result;
}

order spread_over(const order& pus, std::span<const level> levels) {
  if (levels.empty()) return pus;
  auto groups = split(pus, levels.front());
  for (auto& group : groups) group = spread_over(group, levels.subspan(1));
  return round_robin(groups);
}

/// The larger units first, whichever those are: some machines have NUMA nodes above packages, some
/// below.
std::vector<level> levels_from_large(const order& pus) {
  std::multimap<std::size_t, level> by_count;  // keeps equal ones in the order of insertion
  for (const level where : {&processor::package, &processor::numa_node, &processor::l3}) {
    by_count.emplace(split(pus, where).size(), where);
  }
  std::vector<level> levels;
  for (const auto& [count, where] : by_count) levels.push_back(where);
  return levels;
}

/// One homogeneous class (same SMT rank, same speed) after the other: spreading over a mixed set
/// would leave fast cores idle while slow ones work.
order by_spread(order pus) {
  const auto levels = levels_from_large(pus);
  std::map<std::pair<unsigned, int>, order> classes;
  for (const auto& pu : pus) classes[{pu.smt_rank, -pu.speed_rank}].push_back(pu);
  order result;
  for (const auto& [rank, members] : classes) {
    for (const auto& pu : spread_over(members, levels)) result.push_back(pu);
  }
  return result;
}

order of_kind(const topology& machine, const pin_policy& policy) {
  if (!machine.hybrid()) {
    throw usage_error(
        fmt::format("--pin={}: hwloc sees no kinds of cores on this machine; use core, or list:...",
                    policy.text));
  }
  const bool fast = policy.kind == pin_kind::pcore;
  order chosen;
  std::ranges::copy_if(machine.pus, std::back_inserter(chosen), [&](const auto& pu) {
    return (pu.speed_rank == machine.top_speed_rank()) == fast;
  });
  return by_core(std::move(chosen));
}

const processor* find_listed(const topology& machine, const pin_policy& policy, unsigned number) {
  if (!policy.logical) return machine.find(number);
  const auto found = std::ranges::find(machine.pus, number, &processor::logical);
  return found == machine.pus.end() ? nullptr : &*found;
}

order of_list(const topology& machine, const pin_policy& policy) {
  order chosen;
  for (const unsigned number : policy.list) {
    const auto* pu = find_listed(machine, policy, number);
    if (pu == nullptr) {
      throw usage_error(
          fmt::format("--pin={}: {}{} is not among the CPUs that may be used here ({})",
                      policy.text, policy.logical ? "L#" : "CPU ", number,
                      policy.logical ? fmt::format("L#0-{}", machine.pus.size() - 1)
                                     : format_cpu_list(machine.os_indexes())));
    }
    chosen.push_back(*pu);
  }
  return chosen;
}

order order_of(const topology& machine, const pin_policy& policy) {
  switch (policy.kind) {
    case pin_kind::core:
      return by_core(machine.pus);
    case pin_kind::spread:
      return by_spread(machine.pus);
    case pin_kind::numa:
      return by_group(machine.pus, &processor::numa_node);
    case pin_kind::l3:
      return by_group(machine.pus, &processor::l3);
    case pin_kind::pcore:
    case pin_kind::ecore:
      return of_kind(machine, policy);
    case pin_kind::list:
      return of_list(machine, policy);
    case pin_kind::compact:
    case pin_kind::none:
      break;
  }
  return machine.pus;
}

}  // namespace

std::string pin_policy_names() { return fmt::format("{}", fmt::join(known_names(), ", ")); }

std::vector<pin_policy> all_pin_policies() {
  std::vector<pin_policy> all;
  for (const auto& entry : names) all.push_back({entry.kind, {}, false, std::string(entry.name)});
  return all;
}

pin_policy parse_pin_policy(std::string_view text) {
  if (text.starts_with("list:")) return parse_list(text);
  for (const auto& entry : names) {
    if (entry.name == text) return {entry.kind, {}, false, std::string(text)};
  }
  for (const auto& alias : aliases) {
    if (alias.name != text) continue;
    return {alias.kind, {}, false, std::string(names[static_cast<std::size_t>(alias.kind)].name)};
  }
  throw usage_error("--pin: " + unknown_name("policy", text, known_names()));
}

std::vector<unsigned> pin_plan::used() const {
  auto distinct = binds() ? pus : allowed;
  std::ranges::sort(distinct);
  const auto repeated = std::ranges::unique(distinct);
  distinct.erase(repeated.begin(), repeated.end());
  return distinct;
}

std::string pin_plan::taskset() const { return format_cpu_list(used()); }

pin_plan make_pin_plan(const topology& machine, const pin_policy& policy, unsigned threads) {
  pin_plan plan;
  plan.policy = policy.text;
  plan.threads = threads;
  for (const auto& pu : order_of(machine, policy)) plan.allowed.push_back(pu.os_index);
  plan.oversubscribed = threads > plan.allowed.size();
  if (policy.kind == pin_kind::none) return plan;
  for (unsigned worker = 0; worker < threads; ++worker) {
    plan.pus.push_back(plan.allowed[worker % plan.allowed.size()]);
  }
  return plan;
}

}  // namespace bb
