#pragma once

#include <sys/types.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/pin.hpp"

namespace bb {

/// What became of one planned worker. -1 stands for "not known" or "not bound".
struct seat {
  unsigned worker = 0;
  pid_t tid = 0;        ///< thread that sat down last, 0 when nobody did
  int planned = -1;     ///< PU of the plan
  int actual = -1;      ///< PU that the thread's mask, read back after binding, consists of
  int last = -1;        ///< where it ran when last looked at
  std::string problem;  ///< empty when the worker sits where it should
};

struct seat_report {
  std::vector<seat> seats;    ///< one per planned worker
  unsigned threads_seen = 0;  ///< distinct threads that sat down
  unsigned pus_seen =
      0;  ///< distinct PUs that they were bound to (policy none: that they were seen on)
  std::string problem;  ///< why the cell must fail, the first reason; empty when all is as planned
};

/// Binding at run time. The harness makes one per trial; each worker thread of a runtime calls
/// `sit` from inside itself, before its first piece of work; the harness asks for the report while
/// the runtime still lives.
///
/// Threads: all members may be called by any thread at any time; one mutex, held for a system call
/// or two, so `sit` is for thread start, arena entry and the like, not for each operation. Errors
/// are recorded and never thrown: `sit` is called from inside other people's runtimes.
class seats {
 public:
  explicit seats(pin_plan plan);

  /// Binds the calling thread to its PU, reads the mask back, and records both. With policy `none`
  /// it only records. Sitting down again (a thread that enters an arena anew, or takes another
  /// number) is welcome.
  void sit(unsigned worker) noexcept;

  /// Looks where the threads are now, and judges: fewer distinct threads or PUs than planned, a
  /// worker without a seat, or a refused binding is a problem.
  [[nodiscard]] seat_report report() const;

  [[nodiscard]] const pin_plan& plan() const noexcept { return plan_; }

 private:
  void remember(const seat& taken);

  const pin_plan plan_;
  mutable std::mutex mutex_;   // guards all below
  std::vector<seat> seats_;    // by worker; the latest sitter of each
  std::set<pid_t> threads_;    // everybody who ever sat
  std::set<int> pus_;          // every PU that somebody was bound to or, unbound, seen on
  std::string first_problem_;  // survives a later, luckier sitter of the same seat
};

/// Sets the mask of every thread of this process to the PUs of the plan, so that helper threads of
/// libraries started later stay inside too. Policy `none` leaves all as it is. Call before any
/// library starts. Returns the reason when it could not; the mask is then as the kernel left it.
[[nodiscard]] std::optional<std::string> confine_process(const pin_plan& plan);

/// The `pin` object of a cell (docs/SCHEMA.md): policy, taskset, oversubscribed, planned[],
/// actual[], last[], threads_seen, pus_seen. Arrays are by worker; null stands for "not bound" and
/// "not known".
[[nodiscard]] nlohmann::ordered_json to_json(const pin_plan& plan, const seat_report& report);

}  // namespace bb
