#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bb {

/// One processing unit (PU: a hardware thread) and its place in the machine.
/// Indexes other than `os_index` and `numa_node` are dense and count from 0 in logical order, so
/// that they can index arrays; they are not the numbers that the operating system prints.
struct processor {
  unsigned os_index = 0;  ///< the number that taskset, /proc and sched_setaffinity use
  unsigned logical =
      0;  ///< position in hwloc's logical order among the allowed PUs: neighbours are close
  unsigned core = 0;  ///< a core of its own where the machine does not say which PUs share one
  unsigned package = 0;
  unsigned numa_node = 0;  ///< nearest memory, allowed or not, by the system's number (numactl)
  unsigned l3 =
      0;  ///< last-level cache domain: L3, else the largest cache shared by cores, else the package
  unsigned smt_rank = 0;  ///< 0 for the first allowed PU of its core, 1 for the second, ...
  int kind = -1;          ///< index into topology::kinds, -1 when unknown
  int speed_rank =
      -1;  ///< higher is a faster kind of core; -1 when the machine's kinds cannot be ranked

  bool operator==(const processor&) const = default;
};

/// A kind of core as hwloc sees it. Virtual machines and some servers report kinds that are not
/// real (open-mpi/hwloc#444, #690), so show them as what hwloc says, not as a fact.
struct cpu_kind {
  int efficiency = -1;    ///< hwloc's rank, 0 = slowest; -1 unknown
  std::string core_type;  ///< "IntelCore", "IntelAtom", or "" when unknown
  unsigned max_mhz = 0;   ///< 0 unknown

  bool operator==(const cpu_kind&) const = default;
};

/// The allowed processing units of a machine, in logical order, with nothing of hwloc in it.
struct topology {
  std::vector<processor> pus;
  std::vector<cpu_kind> kinds;
  std::uint64_t l3_bytes =
      0;                  ///< size of the largest single L3, 0 when there is none or it is unknown
  bool has_cores = true;  ///< false: the machine does not say which PUs share a core
  bool this_machine = true;  ///< false: read from a file or a description, good for planning only

  bool operator==(const topology&) const = default;

  [[nodiscard]] unsigned cores() const noexcept;
  [[nodiscard]] unsigned packages() const noexcept;
  [[nodiscard]] unsigned numa_nodes() const noexcept;  ///< those nearest to an allowed PU
  [[nodiscard]] unsigned l3_domains() const noexcept;
  [[nodiscard]] bool hybrid() const noexcept;  ///< has cores of more than one speed rank
  [[nodiscard]] int top_speed_rank() const noexcept;
  [[nodiscard]] const processor* find(
      unsigned os_index) const noexcept;                   ///< null when not allowed or not there
  [[nodiscard]] std::vector<unsigned> os_indexes() const;  ///< in logical order
};

/// This machine: only the PUs that the cpuset and the affinity mask of the caller allow. Call it
/// early, from one thread: hwloc may move the caller from PU to PU while it looks, and one
/// environment variable is set meanwhile. Throws input_error when the machine cannot be read.
[[nodiscard]] topology load_topology();

/// Another machine: an XML file by hwloc 2 (`lstopo --of xml`), or a synthetic description such as
/// "pack:2 core:4 pu:2" when no file has that name. Throws input_error (missing, unreadable,
/// damaged, XML of hwloc 3, more than 65,536 PUs).
[[nodiscard]] topology load_topology(const std::string& source);

}  // namespace bb
