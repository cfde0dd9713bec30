// The only file that reads hwloc's objects: hwloc_topology_t in, plain values out.
#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "harness/error.hpp"
#include "harness/topology.hpp"

namespace bb {
namespace {

constexpr std::uint64_t max_pus = 65536;

struct topology_deleter {
  void operator()(hwloc_topology* raw) const noexcept { hwloc_topology_destroy(raw); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, topology_deleter>;

/// hwloc writes paragraphs of its own to stderr about a file it cannot read; ours is the one
/// sentence to show.
class quiet_hwloc {
 public:
  quiet_hwloc() : ours_(std::getenv(variable) == nullptr) { ::setenv(variable, "2", 0); }
  ~quiet_hwloc() {
    if (ours_) ::unsetenv(variable);
  }
  quiet_hwloc(const quiet_hwloc&) = delete;
  quiet_hwloc& operator=(const quiet_hwloc&) = delete;

 private:
  static constexpr const char* variable = "HWLOC_HIDE_ERRORS";
  bool ours_;
};

hwloc_handle make_handle() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    throw input_error("hwloc cannot be initialised: out of memory");
  return hwloc_handle(raw);
}

/// Numbers objects 0, 1, 2, ... in the order in which they are first met; null is an object like
/// any other, so that "no such level" puts everything into one group.
class dense_index {
 public:
  unsigned operator[](const void* object) {
    return index_.emplace(object, static_cast<unsigned>(index_.size())).first->second;
  }

 private:
  std::map<const void*, unsigned> index_;
};

bool holds_memory(hwloc_obj_t object) { return object->memory_arity > 0; }

unsigned nearest_numa_node(hwloc_obj_t pu) {
  for (auto* level = pu; level != nullptr; level = level->parent) {
    if (!holds_memory(level)) continue;
    auto* memory = level->memory_first_child;
    while (memory->type != HWLOC_OBJ_NUMANODE && holds_memory(memory)) {
      memory = memory->memory_first_child;
    }
    if (memory->type == HWLOC_OBJ_NUMANODE) return memory->os_index;
  }
  // The cpuset allows the PU but not the memory beside it: the complete set still says which that
  // is.
  return static_cast<unsigned>(std::max(0, hwloc_bitmap_first(pu->complete_nodeset)));
}

bool is_data_cache(hwloc_obj_t object) { return hwloc_obj_type_is_dcache(object->type) != 0; }

unsigned cores_below(hwloc_topology_t machine, hwloc_obj_t object) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(machine, object->cpuset, HWLOC_OBJ_CORE);
  const int pus = hwloc_get_nbobjs_inside_cpuset_by_type(machine, object->cpuset, HWLOC_OBJ_PU);
  return static_cast<unsigned>(cores > 0 ? cores : pus);
}

/// The L3 above a PU; some cores have none (Xeon Phi, the low-power cores of Meteor Lake), then the
/// outermost cache that several cores share; then the package.
hwloc_obj_t last_level_domain(hwloc_topology_t machine, hwloc_obj_t pu) {
  if (auto* l3 = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_L3CACHE, pu)) return l3;
  hwloc_obj_t outermost = nullptr;
  for (auto* level = pu->parent; level != nullptr; level = level->parent) {
    if (is_data_cache(level)) outermost = level;
  }
  if (outermost != nullptr && cores_below(machine, outermost) > 1) return outermost;
  return hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu);
}

std::vector<processor> read_pus(hwloc_topology_t machine) {
  std::vector<processor> pus;
  dense_index cores, packages, domains;
  std::map<unsigned, unsigned> seen_in_core;
  for (hwloc_obj_t pu = nullptr;
       (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)) != nullptr;) {
    auto* core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
    processor next;
    next.os_index = pu->os_index;
    next.logical = pu->logical_index;
    next.core = cores[core != nullptr ? core : pu];
    next.package = packages[hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu)];
    next.numa_node = nearest_numa_node(pu);
    next.l3 = domains[last_level_domain(machine, pu)];
    next.smt_rank = seen_in_core[next.core]++;
    next.kind = hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0);
    pus.push_back(next);
  }
  return pus;
}

unsigned parse_mhz(const char* text) {
  unsigned mhz = 0;
  std::from_chars(text, text + std::strlen(text), mhz);
  return mhz;
}

std::vector<cpu_kind> read_kinds(hwloc_topology_t machine) {
  std::vector<cpu_kind> kinds;
  const int count = std::max(0, hwloc_cpukinds_get_nr(machine, 0));
  for (int index = 0; index < count; ++index) {
    cpu_kind kind;
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    hwloc_cpukinds_get_info(machine, static_cast<unsigned>(index), nullptr, &kind.efficiency,
                            &infos, &info, 0);
    for (unsigned i = 0; i < infos; ++i) {
      if (std::string_view(info[i].name) == "CoreType") kind.core_type = info[i].value;
      if (std::string_view(info[i].name) == "FrequencyMaxMHz")
        kind.max_mhz = parse_mhz(info[i].value);
    }
    kinds.push_back(kind);
  }
  return kinds;
}

/// hwloc splits the P-cores of one chip into kinds when some of them may boost higher; for placing
/// threads they are one class, or `core` would tear neighbours apart.
int class_of(const std::vector<cpu_kind>& kinds, int kind) {
  if (kind < 0 || kinds[kind].core_type != "IntelCore")
    return kind < 0 ? -1 : kinds[kind].efficiency;
  int top = -1;
  for (const auto& other : kinds) {
    if (other.core_type == "IntelCore") top = std::max(top, other.efficiency);
  }
  return top;
}

/// Ranks are all or nothing: a PU of unknown speed cannot be put before or behind another.
void rank_speeds(topology& machine) {
  for (auto& pu : machine.pus) pu.speed_rank = class_of(machine.kinds, pu.kind);
  if (std::ranges::any_of(machine.pus, [](const auto& pu) { return pu.speed_rank < 0; })) {
    for (auto& pu : machine.pus) pu.speed_rank = -1;
  }
}

std::uint64_t largest_l3(hwloc_topology_t machine) {
  std::uint64_t largest = 0;
  for (hwloc_obj_t l3 = nullptr;
       (l3 = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_L3CACHE, l3)) != nullptr;) {
    largest = std::max<std::uint64_t>(largest, l3->attr->cache.size);
  }
  return largest;
}

topology read_topology(hwloc_topology_t machine, const std::string& name) {
  topology result;
  result.pus = read_pus(machine);
  if (result.pus.empty())
    throw input_error(fmt::format("{} has no processing unit that may be used", name));
  result.kinds = read_kinds(machine);
  result.l3_bytes = largest_l3(machine);
  result.has_cores = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) > 0;
  result.this_machine = hwloc_topology_is_thissystem(machine) != 0;
  rank_speeds(result);
  return result;
}

/// Bounded, so that a device such as /dev/zero is refused instead of filling the memory.
std::string read_file(const std::string& path) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;
  std::string text;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file != nullptr) {
    std::array<char, 65536> chunk{};
    std::size_t got = 0;
    while (text.size() <= max_bytes &&
           (got = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0) {
      text.append(chunk.data(), got);
    }
  }
  if (file == nullptr || std::ferror(file.get()) != 0) {
    throw input_error(
        fmt::format("topology file '{}' cannot be read: {}", path, std::strerror(errno)));
  }
  if (text.size() > max_bytes)
    throw input_error(fmt::format("topology file '{}' is above 64 MiB", path));
  return text;
}

/// The major version in `<topology version="3.0">`; 1 for the old form without one; nothing when it
/// is not hwloc's.
std::optional<unsigned> xml_major_version(std::string_view text) {
  const auto root = text.find("<topology");
  if (root == std::string_view::npos) return std::nullopt;
  const auto tag = text.substr(root, text.find('>', root) - root);
  constexpr std::string_view key = "version=\"";
  const auto at = tag.find(key);
  if (at == std::string_view::npos) return 1;
  unsigned major = 0;
  const auto digits = tag.substr(at + key.size());
  const auto failure = std::from_chars(digits.data(), digits.data() + digits.size(), major).ec;
  return failure == std::errc{} ? std::optional(major) : std::nullopt;
}

void check_xml(const std::string& text, const std::string& path) {
  const auto major = xml_major_version(text);
  if (!major) {
    throw input_error(fmt::format(
        "topology file '{}' is not an hwloc XML file; write one with 'lstopo --of xml {}'", path,
        "machine.xml"));
  }
  if (*major >= 3) {
    throw input_error(
        fmt::format("topology file '{}' is hwloc XML version {}, which hwloc {}.{} cannot read; "
                    "export it again where "
                    "it came from with 'lstopo --of xml --export-xml-flags v2 machine.xml'",
                    path, *major, HWLOC_API_VERSION >> 16, (HWLOC_API_VERSION >> 8) & 0xff));
  }
}

topology load_xml(const std::string& path) {
  const std::string text = read_file(path);
  check_xml(text, path);
  const quiet_hwloc quiet;
  const auto machine = make_handle();
  // The length counts the terminating zero: hwloc's own parser wants it inside the buffer.
  const bool loaded = hwloc_topology_set_xmlbuffer(machine.get(), text.c_str(),
                                                   static_cast<int>(text.size() + 1)) == 0 &&
                      hwloc_topology_load(machine.get()) == 0;
  if (!loaded) {
    throw input_error(
        fmt::format("topology file '{}' is damaged or cut short: hwloc cannot read it", path));
  }
  return read_topology(machine.get(), fmt::format("topology file '{}'", path));
}

/// How many PUs a description asks for, saturated above `max_pus`: hwloc would build them all
/// before we could object.
std::uint64_t synthetic_size(std::string_view description) {
  std::uint64_t product = 1;
  for (std::size_t colon = 0; (colon = description.find(':', colon)) != std::string_view::npos;
       ++colon) {
    std::uint64_t count = 1;
    const char* digits = description.data() + colon + 1;
    const auto failure = std::from_chars(digits, description.data() + description.size(), count).ec;
    if (failure == std::errc::result_out_of_range || count > max_pus) return max_pus + 1;
    if (count > 0) product = std::min(product * count, max_pus + 1);
  }
  return product;
}

topology load_synthetic(const std::string& description) {
  if (synthetic_size(description) > max_pus) {
    throw input_error(
        fmt::format("topology '{}' has more than {} processing units", description, max_pus));
  }
  const quiet_hwloc quiet;
  const auto machine = make_handle();
  if (hwloc_topology_set_synthetic(machine.get(), description.c_str()) != 0 ||
      hwloc_topology_load(machine.get()) != 0) {
    throw input_error(fmt::format(
        "topology '{}' is neither a file nor a description such as 'pack:2 core:4 pu:2'",
        description));
  }
  return read_topology(machine.get(), fmt::format("topology '{}'", description));
}

/// These make hwloc describe another machine while it says that it is this one.
void refuse_redirection() {
  for (const char* variable :
       {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"}) {
    if (std::getenv(variable) == nullptr) continue;
    throw input_error(fmt::format(
        "{} is set, so hwloc would describe another machine than this one; unset it, and use "
        "--topology to plan for another machine",
        variable));
  }
}

}  // namespace

topology load_topology() {
  refuse_redirection();
  const auto machine = make_handle();
  hwloc_topology_set_flags(machine.get(), HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING |
                                              HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  if (hwloc_topology_load(machine.get()) != 0) {
    throw input_error(fmt::format("hwloc cannot read this machine: {}", std::strerror(errno)));
  }
  return read_topology(machine.get(), "this machine");
}

topology load_topology(const std::string& source) {
  std::error_code ignored;
  return std::filesystem::exists(source, ignored) ? load_xml(source) : load_synthetic(source);
}

}  // namespace bb
