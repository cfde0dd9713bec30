#pragma once
// uring: the io_uring ring of one worker.
//
//  threads    owner only: it is made, used and closed by the same thread (SINGLE_ISSUER, DEFER_TASKRUN), so no lock
//             and no interrupt stands in the way. Others reach the owner by its inbox and doorbell.
//  flags      SINGLE_ISSUER | DEFER_TASKRUN | SUBMIT_ALL | TASKRUN_FLAG where the kernel has them (6.1), else
//             COOP_TASKRUN (5.19), else none; the ring's own descriptor is registered (5.18).
//  batching   entries collect until submit(), which the worker calls when it has nothing runnable, at its service, or
//             when `submit_batch` of them wait.
//  DEFER_TASKRUN   completions appear only inside enter(); needs_enter() says when the kernel has some to hand out.
//
// liburing sets the ring up and fills entries; the queue heads and tails are ours, because one system call has to
// both submit and wait with flags that liburing 2.3 does not know.
#include <liburing.h>

#include <atomic>
#include <cstdint>

#include "runtimes/fiber/detail/hint.hpp"
#include "runtimes/fiber/options.hpp"

namespace fiber::detail {

class uring {
 public:
  // Throws fiber::error, which says how to allow io_uring where it is refused.
  uring(std::uint32_t entries, ring_mode mode);
  ~uring();
  uring(const uring&) = delete;
  uring& operator=(const uring&) = delete;

  // A cleared entry; if the ring is full, what waits is submitted first. Null only if the kernel takes no more until
  // completions are reaped.
  io_uring_sqe* try_entry() noexcept;

  // Entries that the kernel has not taken yet.
  std::uint32_t waiting() const noexcept { return tail_ - load_acquire(ring_.sq.khead); }

  // Hands all waiting entries to the kernel and runs deferred completions. Never sleeps.
  void submit() noexcept { enter(0, 0); }
  // As submit(), then sleeps until there is a completion or `timeout_ns` passed (negative: no limit).
  void submit_and_wait(std::int64_t timeout_ns) noexcept { enter(1, timeout_ns); }

  // Completions that the kernel holds back until somebody enters: deferred work, or an overflowed queue.
  bool needs_enter() const noexcept;
  bool has_completions() const noexcept { return *ring_.cq.khead != load_acquire(ring_.cq.ktail); }

  // Calls `handle(const io_uring_cqe&)` for each completion in the queue; returns their number. The entry is consumed
  // before the call, so `handle` may submit.
  template <class Handle>
  std::uint32_t reap(Handle handle) noexcept {
    std::uint32_t count = 0;
    for (; has_completions(); ++count) {
      const std::uint32_t head = *ring_.cq.khead;  // plain: only we write it
      const io_uring_cqe copy = ring_.cq.cqes[head & ring_.cq.ring_mask];
      // ORDER(fiber.cq) release: the copy above is done before the kernel may reuse the entry.
      //   pairs: the kernel's acquire of the head (io_uring, "cq head" in its barriers comment).
      std::atomic_ref(*ring_.cq.khead).store(head + 1, std::memory_order_release);
      handle(copy);
    }
    return count;
  }

  int descriptor() const noexcept { return ring_.ring_fd; }
  io_uring& raw() noexcept { return ring_; }
  bool deferred() const noexcept { return (ring_.flags & IORING_SETUP_DEFER_TASKRUN) != 0; }
  std::uint64_t enters() const noexcept { return enters_.get(); }

 private:
  static std::uint32_t load_acquire(std::uint32_t* word) noexcept {
    // ORDER(fiber.cq) acquire: completion entries, or consumed submission entries, are seen as the kernel left them.
    //   pairs: the kernel's release of the same word.
    return std::atomic_ref(*word).load(std::memory_order_acquire);
  }
  void enter(std::uint32_t wait_for, std::int64_t timeout_ns) noexcept;

  io_uring ring_{};
  std::uint32_t tail_ = 0;
  std::uint32_t wait_flags_ = 0;
  hint<std::uint64_t> enters_;
};

}  // namespace fiber::detail
