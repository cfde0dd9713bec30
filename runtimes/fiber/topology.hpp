#pragma once
// Where the workers sit, and whom each of them asks for work first.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fiber {

// One processing unit in plain numbers; -1 where unknown. Equal numbers mean the same thing; `core` and `l3` need
// only be distinct within a package.
struct cpu_place {
  int cpu = -1;
  int core = -1;
  int l3 = -1;
  int package = -1;
};

// How far two places are apart, by what a line of memory passes on its way.
enum class steal_tier : std::uint8_t { smt_sibling, same_l3, same_package, other_package };
inline constexpr std::size_t steal_tiers = 4;

steal_tier tier_between(const cpu_place& a, const cpu_place& b) noexcept;

struct steal_victim {
  std::uint32_t index;  // into `places`
  steal_tier tier;
  bool operator==(const steal_victim&) const = default;
};

// All others as `thief` should visit them: nearest tier first, shuffled by `seed` within a tier so that thieves do
// not all start at the same victim. Pure: the same arguments give the same order on every machine.
std::vector<steal_victim> steal_order(std::span<const cpu_place> places, std::uint32_t thief,
                                      std::uint64_t seed);

// The places of `cpus` as `root` (a sysfs) describes them. Never fails: what cannot be read is -1.
std::vector<cpu_place> read_places(std::span<const int> cpus,
                                   const std::string& root = "/sys/devices/system/cpu");

// The processing units that this process may use, in ascending order (cpuset and affinity respected).
std::vector<int> allowed_cpus();

}  // namespace fiber
