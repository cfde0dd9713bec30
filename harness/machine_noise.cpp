#include "harness/machine_noise.hpp"

#include <unistd.h>

#include "harness/cgroup.hpp"

namespace bb {
namespace {

/// First line of /proc/stat: "cpu user nice system idle iowait irq softirq steal guest guest_nice", in clock ticks.
std::optional<std::uint64_t> read_steal_us(const system_root& root) {
  const auto stat = root.read("/proc/stat");
  if (!stat) return std::nullopt;
  const auto words = split_words(std::string_view(*stat).substr(0, stat->find('\n')));
  constexpr std::size_t steal = 8;
  if (words.size() <= steal || words[0] != "cpu") return std::nullopt;
  const auto ticks = to_number(words[steal]);
  const auto ticks_per_second = ::sysconf(_SC_CLK_TCK);
  if (!ticks || *ticks < 0 || ticks_per_second <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*ticks) * 1'000'000 /
         static_cast<std::uint64_t>(ticks_per_second);
}

using count = std::optional<std::uint64_t>;

count difference(count after, count before) {
  if (!after || !before) return std::nullopt;
  return *after > *before ? *after - *before : 0;
}

nlohmann::ordered_json or_null(count value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace

machine_noise sample_machine_noise(const system_root& root) {
  machine_noise noise;
  noise.steal_us = read_steal_us(root);
  if (const auto throttling = read_cpu_throttling(root)) {
    noise.throttled_us = throttling->microseconds;
    noise.nr_throttled = throttling->times;
  }
  return noise;
}

machine_noise operator-(const machine_noise& after, const machine_noise& before) {
  return {difference(after.steal_us, before.steal_us),
          difference(after.throttled_us, before.throttled_us),
          difference(after.nr_throttled, before.nr_throttled)};
}

nlohmann::ordered_json to_json(const machine_noise& noise) {
  return {{"steal_us", or_null(noise.steal_us)},
          {"throttled_us", or_null(noise.throttled_us)},
          {"nr_throttled", or_null(noise.nr_throttled)}};
}

}  // namespace bb
