#include "runtimes/fiber/detail/uring.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "runtimes/fiber/detail/misuse.hpp"
#include "runtimes/fiber/error.hpp"

// Newer than liburing 2.3; values from the kernel's include/uapi/linux/io_uring.h.
#ifndef IORING_FEAT_NO_IOWAIT
#define IORING_FEAT_NO_IOWAIT (1U << 17)  // Linux 6.15
#endif
#ifndef IORING_ENTER_NO_IOWAIT
#define IORING_ENTER_NO_IOWAIT (1U << 7)
#endif

namespace fiber::detail {

namespace {

struct flag_set {
  ring_mode mode;
  std::uint32_t flags;
};
constexpr flag_set flag_sets[] = {
    {ring_mode::deferred, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                              IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG},
    {ring_mode::cooperative,
     IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG},
    {ring_mode::interrupting, 0},
};

std::string remedy(int number) {
  if (number == EPERM || number == ENOSYS || number == EACCES) {
    int disabled = 0;
    std::ifstream("/proc/sys/kernel/io_uring_disabled") >> disabled;
    if (disabled != 0) {
      return "; kernel.io_uring_disabled is " + std::to_string(disabled) +
             ": allow it with `sysctl -w kernel.io_uring_disabled=0`";
    }
    return "; the sysctl kernel.io_uring_disabled allows it, so a seccomp filter refuses it "
           "(containers do since 2023)" +
           std::string(
               ": run with a profile that permits io_uring_setup, io_uring_enter and "
               "io_uring_register, ") +
           "for example `docker run --security-opt seccomp=unconfined`";
  }
  if (number == ENOMEM)
    return "; raise the locked-memory limit (`ulimit -l`) or lower options.ring_entries";
  if (number == EMFILE || number == ENFILE) return "; raise the limit of open files (`ulimit -n`)";
  return "";
}

}  // namespace

uring::uring(std::uint32_t entries, ring_mode mode) {
  int failed = -EINVAL;
  io_uring_params parameters{};
  for (const flag_set& each : flag_sets) {
    if (mode != ring_mode::automatic && mode != each.mode) continue;
    parameters = {};
    parameters.flags = each.flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    parameters.cq_entries = entries * 8;
    failed = ::io_uring_queue_init_params(entries, &ring_, &parameters);
    if (failed != -EINVAL) break;
  }
  if (failed == -EINVAL)
    throw error("this kernel has no io_uring in the wanted mode; use options.ring = automatic");
  if (failed != 0) throw error("cannot make an io_uring: " + errno_name(failed) + remedy(-failed));
  if ((parameters.features & IORING_FEAT_EXT_ARG) == 0) {
    ::io_uring_queue_exit(&ring_);
    throw error(
        "this kernel's io_uring cannot wait with a deadline (IORING_FEAT_EXT_ARG); Linux 5.11 or "
        "newer is needed");
  }
  ::io_uring_register_ring_fd(
      &ring_);  // saves a lookup per call; a kernel without it goes on with the descriptor
  // Entry i of the submission queue is always described by slot i, so the index array is written once.
  for (std::uint32_t i = 0; i < ring_.sq.ring_entries; ++i) ring_.sq.array[i] = i;
  if ((parameters.features & IORING_FEAT_NO_IOWAIT) != 0) wait_flags_ = IORING_ENTER_NO_IOWAIT;
}

uring::~uring() { ::io_uring_queue_exit(&ring_); }

bool uring::needs_enter() const noexcept {
  constexpr std::uint32_t mask = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;
  // relaxed: a hint; enter() synchronises through the system call.
  return (std::atomic_ref(*ring_.sq.kflags).load(std::memory_order_relaxed) & mask) != 0;
}

io_uring_sqe* uring::try_entry() noexcept {
  if (waiting() >= ring_.sq.ring_entries) {
    submit();
    if (waiting() >= ring_.sq.ring_entries) return nullptr;
  }
  io_uring_sqe* entry = &ring_.sq.sqes[tail_ & ring_.sq.ring_mask];
  ++tail_;
  std::memset(entry, 0, sizeof *entry);
  return entry;
}

void uring::enter(std::uint32_t wait_for, std::int64_t timeout_ns) noexcept {
  // ORDER(fiber.sq) release: the entries are filled before the kernel sees the tail.
  //   pairs: the kernel's acquire of the tail.  without: it could submit half an entry.
  std::atomic_ref(*ring_.sq.ktail).store(tail_, std::memory_order_release);
  std::uint32_t flags = IORING_ENTER_GETEVENTS;
  if (ring_.ring_fd != ring_.enter_ring_fd) flags |= IORING_ENTER_REGISTERED_RING;
  __kernel_timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  io_uring_getevents_arg argument{};
  void* extra = nullptr;
  std::size_t extra_bytes = 0;
  if (wait_for != 0) {
    flags |= IORING_ENTER_EXT_ARG | wait_flags_;
    argument.ts = timeout_ns < 0 ? 0 : reinterpret_cast<std::uint64_t>(&limit);
    extra = &argument;
    extra_bytes = sizeof argument;
  }
  enters_.bump();
  const int result = ::io_uring_enter2(ring_.enter_ring_fd, waiting(), wait_for, flags,
                                       static_cast<sigset_t*>(extra), extra_bytes);
  // What comes again by itself: out of memory for requests, a full completion queue, a signal, the deadline. Entries
  // not taken stay in the queue.
  const bool passing =
      result >= 0 || result == -EAGAIN || result == -EBUSY || result == -EINTR || result == -ETIME;
  if (!passing) misuse(("io_uring_enter failed: " + errno_name(result)).c_str());
}

}  // namespace fiber::detail
