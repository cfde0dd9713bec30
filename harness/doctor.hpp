#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cpu_budget.hpp"
#include "harness/system_files.hpp"

namespace bb {

/// What makes numbers from this machine unreliable, and how to mend it. Reads, never changes anything.

enum class finding_state {
  ok,
  warn,
  unknown,  ///< the machine does not tell: ordinary in virtual machines and containers
};

struct finding {
  std::string id;  ///< stable, also the KIND of --no-warn=KIND
  finding_state state = finding_state::unknown;
  std::string value;  ///< what is there now
  std::string
      why;  ///< warn and unknown: what it does to measurements, or why it cannot be known; else empty
  std::string remedy;  ///< warn: the command that mends it; else empty

  bool operator==(const finding&) const = default;
};

/// All findings, always the same ids in the same order:
///   build governor turbo smt isolation quota load runnable steal battery
///   thp aslr clock_source perf_event_paranoid io_uring memlock rapl
/// `debug_build`: this program was compiled without optimisation or with sanitizers. Otherwise a function of the files
/// under `root` alone.
[[nodiscard]] std::vector<finding> examine_machine(bool debug_build, const system_root& root = {});

/// A table with a line per finding; below each warning its reason and its remedy. Plain text, ends with a newline.
[[nodiscard]] std::string doctor_table(std::span<const finding> findings);

/// [{id, state: "ok"|"warn"|"unknown", value, why, remedy}], null for an empty text.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const finding> findings);

[[nodiscard]] bool has_warning(std::span<const finding> findings) noexcept;
[[nodiscard]] std::string_view to_string(finding_state state) noexcept;

}  // namespace bb
