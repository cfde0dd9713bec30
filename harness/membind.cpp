#include "harness/membind.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "harness/cpu_list.hpp"
#include "harness/error.hpp"
#include "harness/suggest.hpp"

namespace bb {
namespace {

struct hwloc_deleter {
  void operator()(hwloc_topology* raw) const noexcept { hwloc_topology_destroy(raw); }
  void operator()(hwloc_bitmap_s* raw) const noexcept { hwloc_bitmap_free(raw); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, hwloc_deleter>;
using hwloc_set = std::unique_ptr<hwloc_bitmap_s, hwloc_deleter>;

hwloc_handle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  hwloc_handle machine(raw);
  return hwloc_topology_load(raw) == 0 ? std::move(machine) : nullptr;
}

std::string format_nodes(hwloc_const_bitmap_t nodes) {
  std::vector<unsigned> numbers;
  for (int node = hwloc_bitmap_first(nodes); node >= 0; node = hwloc_bitmap_next(nodes, node)) {
    numbers.push_back(static_cast<unsigned>(node));
  }
  return format_cpu_list(std::move(numbers));
}

hwloc_membind_policy_t hwloc_policy(mem_kind kind) {
  switch (kind) {
    case mem_kind::local:
      return HWLOC_MEMBIND_FIRSTTOUCH;
    case mem_kind::interleave:
      return HWLOC_MEMBIND_INTERLEAVE;
    case mem_kind::node:
      return HWLOC_MEMBIND_BIND;
    case mem_kind::none:
      break;
  }
  return HWLOC_MEMBIND_DEFAULT;
}

std::string refusal(const mem_policy& policy) {
  const int cause = errno;
  const char* hint =
      cause == EPERM
          ? "; a container's seccomp filter refuses set_mempolicy, CAP_SYS_NICE allows it"
      : cause == ENOSYS ? "; this kernel or sandbox has no NUMA policies"
                        : "";
  return fmt::format("--membind={} is refused here: {}{}", to_string(policy), std::strerror(cause),
                     hint);
}

}  // namespace

mem_policy parse_mem_policy(std::string_view text) {
  if (text == "none") return {mem_kind::none, 0};
  if (text == "local") return {mem_kind::local, 0};
  if (text == "interleave") return {mem_kind::interleave, 0};
  constexpr std::string_view prefix = "node:";
  if (text.starts_with(prefix)) {
    const auto digits = text.substr(prefix.size());
    unsigned node = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), node);
    if (failure == std::errc{} && end == digits.data() + digits.size())
      return {mem_kind::node, node};
    throw usage_error(fmt::format("--membind: '{}' is no node number; write node:0", digits));
  }
  constexpr std::string_view known[] = {"local", "interleave", "node:N", "none"};
  throw usage_error("--membind: " + unknown_name("policy", text, known));
}

std::string to_string(const mem_policy& policy) {
  switch (policy.kind) {
    case mem_kind::local:
      return "local";
    case mem_kind::interleave:
      return "interleave";
    case mem_kind::node:
      return fmt::format("node:{}", policy.node);
    case mem_kind::none:
      break;
  }
  return "none";
}

std::optional<std::string> apply_mem_policy(const mem_policy& policy) {
  if (policy.kind == mem_kind::none) return std::nullopt;
  const auto machine = load();
  if (machine == nullptr)
    return fmt::format("--membind={}: hwloc cannot read this machine", to_string(policy));
  const auto* allowed = hwloc_topology_get_allowed_nodeset(machine.get());
  const hwloc_set nodes(hwloc_bitmap_dup(allowed));
  if (policy.kind == mem_kind::node) {
    if (hwloc_bitmap_isset(allowed, policy.node) == 0) {
      return fmt::format("--membind=node:{}: no such node may be used here; there is {}",
                         policy.node, format_nodes(allowed));
    }
    hwloc_bitmap_only(nodes.get(), policy.node);
  }
  if (policy.kind == mem_kind::local) {
    hwloc_bitmap_copy(nodes.get(), hwloc_topology_get_complete_nodeset(machine.get()));
  }
  // STRICT makes `node` mean only that node instead of preferring it.
  const int flags = HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_STRICT | HWLOC_MEMBIND_BYNODESET;
  if (hwloc_set_membind(machine.get(), nodes.get(), hwloc_policy(policy.kind), flags) == 0)
    return std::nullopt;
  return refusal(policy);
}

}  // namespace bb
