#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/topology.hpp"

namespace bb {

/// Which PUs workers get, and in which order. "SMT last" counts siblings inside each core, never by
/// halves of the PU numbers: machines number siblings as (0,1), as (0,n/2), or in any other way.
enum class pin_kind {
  core,     ///< one PU per physical core, fast cores first; second PUs of the cores only after all
            ///< cores
  compact,  ///< logical order, SMT siblings side by side
  spread,   ///< round robin over packages, NUMA nodes and L3 domains; fast cores first, SMT last
            ///< (alias: scatter)
  numa,     ///< fill the cores, then the siblings, of one NUMA node before the next
  l3,       ///< the same by last-level cache domain (alias: ccx)
  pcore,    ///< the fastest kind of core only, as `core`
  ecore,    ///< all other kinds only, as `core`
  list,     ///< the PUs of an explicit list, in the order written
  none,     ///< no binding
};

struct pin_policy {
  pin_kind kind = pin_kind::core;
  std::vector<unsigned> list;  ///< pin_kind::list only
  bool logical =
      false;  ///< the list holds logical indexes (`L#`), not those of the operating system
  std::string text = "core";  ///< as results show it: canonical name, or the list as written

  bool operator==(const pin_policy&) const = default;
};

/// "core", "compact", "spread", "scatter", "numa", "l3", "ccx", "pcore", "ecore", "none",
/// "list:0-3,8,16-30:2" (numbers of the operating system, as taskset) or "list:L#0-3" (logical).
/// Throws usage_error naming the wrong part.
[[nodiscard]] pin_policy parse_pin_policy(std::string_view text);

/// The names above in the order of the enumeration, for help and error texts: "core, compact, ...".
[[nodiscard]] std::string pin_policy_names();

/// One policy of each kind but `list`, in the order of the enumeration.
[[nodiscard]] std::vector<pin_policy> all_pin_policies();

struct pin_plan {
  std::string policy;    ///< pin_policy::text
  unsigned threads = 0;  ///< workers planned for
  std::vector<unsigned>
      pus;  ///< worker -> PU by the operating system's number; empty for policy `none`
  std::vector<unsigned>
      allowed;  ///< all PUs that the policy may use, in its order; `none`: all allowed ones
  bool oversubscribed = false;  ///< more threads than PUs: `pus` starts again from the front

  bool operator==(const pin_plan&) const = default;

  [[nodiscard]] bool binds() const noexcept { return !pus.empty(); }
  /// The distinct PUs used, sorted.
  [[nodiscard]] std::vector<unsigned> used() const;
  /// The union as taskset wants it, "0-3,8": `taskset -c` with it confines a process as the plan
  /// does.
  [[nodiscard]] std::string taskset() const;
};

/// Pure: the same topology, policy and thread count give the same plan. No PU is used twice before
/// all that the policy may use are used once. `threads` >= 1. Throws usage_error when the policy
/// cannot be had on this machine: a listed PU that is not allowed, `pcore` or `ecore` where there
/// are no kinds of cores.
[[nodiscard]] pin_plan make_pin_plan(const topology& machine, const pin_policy& policy,
                                     unsigned threads);

}  // namespace bb
