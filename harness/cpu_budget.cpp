#include "harness/cpu_budget.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/cgroup.hpp"
#include "harness/cpu_list.hpp"

namespace bb {
namespace {

std::vector<unsigned> sorted_list(std::string_view text) {
  auto cpus = read_cpu_list(text);
  std::ranges::sort(cpus);
  return cpus;
}

std::vector<unsigned> read_mask(const system_root& root) {
  const auto status = root.read("/proc/self/status");
  const auto field = status ? find_field(*status, "Cpus_allowed_list") : std::nullopt;
  return field ? sorted_list(*field) : std::vector<unsigned>{};
}

}  // namespace

unsigned cpu_budget::threads() const noexcept {
  unsigned threads = hardware;
  if (!allowed.empty()) threads = std::min(threads, static_cast<unsigned>(allowed.size()));
  if (quota && *quota < threads) threads = static_cast<unsigned>(std::ceil(*quota));
  return std::max(threads, 1u);
}

cpu_budget read_cpu_budget(const system_root& root) {
  cpu_budget budget;
  const auto mask = read_mask(root);
  const auto online = sorted_list(root.read("/sys/devices/system/cpu/online").value_or(""));
  // The mask in /proc still names CPUs that were taken offline.
  if (mask.empty() || online.empty()) {
    budget.allowed = mask.empty() ? online : mask;
  } else {
    std::ranges::set_intersection(mask, online, std::back_inserter(budget.allowed));
  }
  budget.hardware =
      static_cast<unsigned>(std::max<std::size_t>(1, online.empty() ? mask.size() : online.size()));
  budget.quota = read_cpu_quota(root);
  return budget;
}

}  // namespace bb
