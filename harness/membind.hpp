#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bb {

/// Where new pages come from (`--membind`).
enum class mem_kind {
  none,        ///< the policy that the process was started with
  local,       ///< the node of the thread that first touches the page
  interleave,  ///< page by page round all allowed nodes
  node,        ///< one node only, never another
};

struct mem_policy {
  mem_kind kind = mem_kind::none;
  unsigned node = 0;  ///< mem_kind::node only, the operating system's number

  bool operator==(const mem_policy&) const = default;
};

/// "none", "local", "interleave", "node:N". Throws usage_error naming the wrong part and what would
/// do.
[[nodiscard]] mem_policy parse_mem_policy(std::string_view text);

/// The same words again.
[[nodiscard]] std::string to_string(const mem_policy& policy);

/// Applies the policy to the calling thread and every thread it starts later; pages that exist stay
/// where they are. Call before the workload's memory is touched, from a process with one thread.
/// Returns the reason when it could not.
[[nodiscard]] std::optional<std::string> apply_mem_policy(const mem_policy& policy);

}  // namespace bb
