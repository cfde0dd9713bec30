#include "harness/energy.hpp"

#include <charconv>
#include <fstream>
#include <system_error>

#include "harness/clock.hpp"
#include "harness/cpu_list.hpp"

namespace bb {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t shortest_ns = 100'000'000;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

template <class Number, class... Base>
std::optional<Number> number_in(std::string_view text, Base... base) {
  Number value{};
  const auto failure = std::from_chars(text.data(), text.data() + text.size(), value, base...).ec;
  return failure == std::errc{} ? std::optional(value) : std::nullopt;
}

// The number in a line such as `event=0x02`.
std::optional<std::uint64_t> event_code(std::string_view line) {
  constexpr std::string_view prefix = "event=0x";
  return line.starts_with(prefix) ? number_in<std::uint64_t>(line.substr(prefix.size()), 16)
                                  : std::nullopt;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure))
    found.push_back(at->path());
  return found;
}

}  // namespace

energy_meter::energy_meter(const fs::path& sys) {
  open_perf(sys / "bus/event_source/devices/power");
  if (packages_.empty()) open_powercap(sys / "class/powercap");
  if (packages_.empty() && missing_.empty())
    missing_ = "this machine shows no energy counters (RAPL), as most virtual machines";
}

// One counter per CPU in `cpumask`, which names one CPU of each package. All packages or none: a part of the energy
// would pass for the whole.
void energy_meter::open_perf(const fs::path& device) {
  const auto type = number_in<std::uint32_t>(first_line(device / "type"));
  const auto code = event_code(first_line(device / "events/energy-pkg"));
  const auto scale = number_in<double>(first_line(device / "events/energy-pkg.scale"));
  if (!type || !code || !scale) return;
  for (const auto cpu : read_cpu_list(first_line(device / "cpumask"))) {
    auto event = perf_event::of_cpu(*type, *code, static_cast<int>(cpu));
    if (!event) return packages_.clear();
    packages_.push_back({std::move(event), {}, *scale, 0});
  }
}

// Packages are called package-0, package-1, ...; what lies within them (core, uncore, dram) would count twice.
void energy_meter::open_powercap(const fs::path& folder) {
  for (const auto& zone : folders_in(folder)) {
    if (!first_line(zone / "name").starts_with("package-")) continue;
    package found{{}, zone / "energy_uj", 1e-6, 0};
    found.range = number_in<std::uint64_t>(first_line(zone / "max_energy_range_uj")).value_or(0);
    if (!found.read()) {
      missing_ = "the energy counters (RAPL) may be read by root alone";
      return packages_.clear();
    }
    packages_.push_back(std::move(found));
  }
}

void energy_meter::begin() {
  for (auto& package : packages_) package.first = package.read();
  begin_ns_ = now_ns();
}

std::optional<double> energy_meter::joules() const {
  if (packages_.empty() || now_ns() - begin_ns_ < shortest_ns) return std::nullopt;
  double sum = 0;
  for (const auto& package : packages_) {
    const auto used = package.used();
    if (!used) return std::nullopt;
    sum += *used;
  }
  return sum;
}

std::optional<std::uint64_t> energy_meter::package::read() const {
  if (file.empty()) {
    const auto reading = event.read();
    return reading ? std::optional(reading->value) : std::nullopt;
  }
  return number_in<std::uint64_t>(first_line(file));
}

std::optional<double> energy_meter::package::used() const {
  const auto last = read();
  if (!first || !last) return std::nullopt;
  if (*last >= *first) return static_cast<double>(*last - *first) * unit_joules;
  if (range < *first) return std::nullopt;  // not a wrap: the counter was reset
  return static_cast<double>(range - *first + *last) * unit_joules;
}

}  // namespace bb
