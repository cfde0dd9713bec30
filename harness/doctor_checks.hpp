#pragma once

#include "harness/doctor.hpp"

namespace bb::doctor_checks {

/// What the checks look at: the files, and the CPUs that this process may use.
struct patient {
  const system_root& root;
  cpu_budget budget;
};

/// One function per finding of `examine_machine`. Those of the processor and its load:
[[nodiscard]] finding check_governor(const patient& who);
[[nodiscard]] finding check_turbo(const patient& who);
[[nodiscard]] finding check_smt(const patient& who);
[[nodiscard]] finding check_isolation(const patient& who);
[[nodiscard]] finding check_quota(const patient& who);
[[nodiscard]] finding check_load(const patient& who);
[[nodiscard]] finding check_runnable(const patient& who);
[[nodiscard]] finding check_steal(const patient& who);
[[nodiscard]] finding check_battery(const patient& who);

/// Those of the kernel and its permissions:
[[nodiscard]] finding check_thp(const patient& who);
[[nodiscard]] finding check_aslr(const patient& who);
[[nodiscard]] finding check_clock_source(const patient& who);
[[nodiscard]] finding check_perf_event_paranoid(const patient& who);
[[nodiscard]] finding check_io_uring(const patient& who);
[[nodiscard]] finding check_memlock(const patient& who);
[[nodiscard]] finding check_rapl(const patient& who);

inline finding ok(std::string id, std::string value) {
  return {std::move(id), finding_state::ok, std::move(value), {}, {}};
}

inline finding warn(std::string id, std::string value, std::string why, std::string remedy) {
  return {std::move(id), finding_state::warn, std::move(value), std::move(why), std::move(remedy)};
}

inline finding unknown(std::string id, std::string why) {
  return {std::move(id), finding_state::unknown, "unknown", std::move(why), {}};
}

}  // namespace bb::doctor_checks
