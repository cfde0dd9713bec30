#pragma once
// options: everything that a scheduler can be told. The defaults are meant to be left alone.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtimes/fiber/topology.hpp"

namespace fiber {

// How stacks are protected against overflow. `automatic`: the best that the kernel has. See detail/stack_pool.hpp.
enum class stack_guard : std::uint8_t { automatic, madvise, mprotect, none };

// How the kernel hands out completions. `automatic`: the best that the kernel has.
enum class ring_mode : std::uint8_t {
  automatic,
  deferred,     // only when the worker asks (SINGLE_ISSUER | DEFER_TASKRUN, Linux 6.1)
  cooperative,  // when the worker enters the kernel for any reason (COOP_TASKRUN, Linux 5.19)
  interrupting  // at once, by interrupting the worker
};

struct options {
  // One worker per entry, pinned to that processor. Empty: all that the process may use.
  std::vector<int> cpus;
  // If set, called on each worker's thread instead of pinning it to cpus[worker]; throw to refuse.
  std::function<void(std::uint32_t worker)> bind;
  // Where the workers sit, for the order of stealing. Empty: read from /sys.
  std::vector<cpu_place> places;

  std::size_t stack_bytes = 64 * 1024;
  std::uint32_t max_fibers = 1u << 17;  // addresses are reserved for all, memory is used as touched
  std::uint32_t stack_color = 64;  // bytes between the tops of neighbouring stacks; 0: all alike
  stack_guard guard = stack_guard::automatic;
  bool report_overflow =
      true;  // SIGSEGV handler that names the fiber; keeps an earlier handler and calls it

  bool stealing = true;
  // How long a thief must see a single fiber waiting before it takes it, by tier.
  std::array<std::int64_t, steal_tiers> patience_ns = {1'000, 5'000, 20'000, 100'000};
  std::uint64_t seed = 1;  // shuffles the order of stealing within a tier

  std::int64_t spin_ns = 10'000;     // look for work that long before sleeping
  std::int32_t service_batch = 256;  // most yields between two looks at messages, I/O and deadlines
  std::int64_t service_ns =
      50'000;  // the batch shrinks until looks are about that far apart at most

  std::uint32_t ring_entries = 256;
  ring_mode ring = ring_mode::automatic;
  bool ring_doorbell =
      true;  // wake sleeping workers by MSG_RING (Linux 5.18); false: by an eventfd
  std::uint32_t submit_batch = 64;  // operations collected before a system call, at most
};

}  // namespace fiber
