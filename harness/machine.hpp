#pragma once

#include <nlohmann/json.hpp>

#include "harness/cpu_budget.hpp"
#include "harness/system_files.hpp"
#include "harness/topology.hpp"

namespace bb {

/// The `machine` object of a result file (docs/SCHEMA.md): everything that may explain why two machines differ, and
/// nothing that names this one: no host name, no user, no path. What cannot be read is null.
///
///   cpu, architecture                        model name; uname's machine
///   packages, numa_nodes, l3_domains, cores, l3_bytes, kinds[]   as in topology_summary
///   pus                                      allowed ones
///   allowed, quota, default_threads          "0-3" as taskset; CPUs; min(hardware, affinity, ceil(quota))
///   governor, scaling_driver, min_mhz, max_mhz     over the allowed CPUs; several values joined by "+"; the limits are
///                                            those set (scaling_*), not those of the chip (sosy-lab/benchexec#918)
///   turbo, smt                               true, false
///   kernel, libc, clock_source, thp, aslr, perf_event_paranoid, io_uring_disabled
///   memory_bytes, page_bytes, load[3]
///   virtualised, hypervisor                  true, false; its vendor when it tells
[[nodiscard]] nlohmann::ordered_json machine_record(const topology& machine,
                                                    const cpu_budget& budget,
                                                    const system_root& root = {});

}  // namespace bb
