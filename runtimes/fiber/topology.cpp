#include "runtimes/fiber/topology.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

namespace fiber {

namespace {

// splitmix64 (Steele, Lea, Flood 2014): the standard's distributions differ between libraries, and this must not.
std::uint64_t next_random(std::uint64_t& state) noexcept {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

bool same(int a, int b) noexcept { return a >= 0 && a == b; }

int read_number(const std::string& path) {
  int value = -1;
  std::ifstream file(path);
  return file >> value ? value : -1;
}

// A cache has no number everywhere; the first processor that shares it serves as one.
int l3_of(const std::string& directory) {
  for (int index = 0; index < 8; ++index) {
    const std::string cache = directory + "/cache/index" + std::to_string(index);
    if (read_number(cache + "/level") == 3) return read_number(cache + "/shared_cpu_list");
  }
  return -1;
}

struct cpu_set_free {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

}  // namespace

steal_tier tier_between(const cpu_place& a, const cpu_place& b) noexcept {
  const bool one_package = a.package == b.package;
  // Some machines number cores per die, so a common core must have a common cache.
  if (one_package && same(a.core, b.core) && a.l3 == b.l3) return steal_tier::smt_sibling;
  if (one_package && same(a.l3, b.l3)) return steal_tier::same_l3;
  return one_package ? steal_tier::same_package : steal_tier::other_package;
}

std::vector<steal_victim> steal_order(std::span<const cpu_place> places, std::uint32_t thief,
                                      std::uint64_t seed) {
  std::vector<steal_victim> others;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    if (i != thief) others.push_back({i, tier_between(places[thief], places[i])});
  }
  std::uint64_t state = seed + thief;
  for (std::size_t left = others.size(); left > 1; --left) {  // Fisher-Yates
    std::swap(others[left - 1], others[next_random(state) % left]);
  }
  std::vector<steal_victim> order;
  for (std::size_t tier = 0; tier < steal_tiers; ++tier) {
    std::copy_if(
        others.begin(), others.end(), std::back_inserter(order),
        [tier](const steal_victim& each) { return static_cast<std::size_t>(each.tier) == tier; });
  }
  return order;
}

std::vector<cpu_place> read_places(std::span<const int> cpus, const std::string& root) {
  std::vector<cpu_place> places;
  for (int cpu : cpus) {
    const std::string directory = root + "/cpu" + std::to_string(cpu);
    places.push_back({cpu, read_number(directory + "/topology/core_id"), l3_of(directory),
                      read_number(directory + "/topology/physical_package_id")});
  }
  return places;
}

std::vector<int> allowed_cpus() {
  // cpu_set_t ends at 1024; the kernel answers EINVAL until the set is large enough.
  for (int count = 1024; count <= 1 << 20; count *= 2) {
    const std::unique_ptr<cpu_set_t, cpu_set_free> set(CPU_ALLOC(count));
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    CPU_ZERO_S(bytes, set.get());
    if (::sched_getaffinity(0, bytes, set.get()) != 0) continue;
    std::vector<int> cpus;
    for (int cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

}  // namespace fiber
