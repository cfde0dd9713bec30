#pragma once
// worker: one thread pinned to one processor, with its fibers, its ring and its deadlines.
//
//  threads    the owner, but for post(), wake(), and what a thief does: slot_.take(), inbox_.steal_all().
//  finding work   own inbox, completions, deadlines, own steal slot; then others' slots and inboxes by steal_order;
//             spin for spin_ns; then sleep in io_uring_enter until a completion, a doorbell or the next deadline.
//  patience   a thief takes a single fiber only after having seen it lie there for the patience of the tier: a fiber
//             that its owner will run within a microsecond is dearer to move than to wait for. Surplus goes at once.
//  no loss    only unbound fibers move; an operation belongs to the ring that submitted it.
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtimes/fiber/counters.hpp"
#include "runtimes/fiber/detail/execution.hpp"
#include "runtimes/fiber/detail/hint.hpp"
#include "runtimes/fiber/detail/inbox.hpp"
#include "runtimes/fiber/detail/stack_pool.hpp"
#include "runtimes/fiber/detail/steal_slot.hpp"
#include "runtimes/fiber/detail/uring.hpp"
#include "runtimes/fiber/topology.hpp"

namespace fiber::detail {

class core;

// What a completion entry belongs to: tag in the low bits of user_data, pointer above.
enum class completion_tag : std::uint64_t {
  operation,
  ignored,
  doorbell,
  eventfd,
  failed_doorbell
};

inline std::uint64_t tagged(const void* pointer, completion_tag tag) noexcept {
  return reinterpret_cast<std::uint64_t>(pointer) | static_cast<std::uint64_t>(tag);
}

class worker : public execution {
 public:
  worker(core& group, std::uint32_t index);  // on its own thread; throws fiber::error
  ~worker();

  // Runs fibers until the scheduler stops. Owner.
  void loop() noexcept;

  // --- owner
  void push(control_block& block) noexcept;  // runnable, at the end of the ring
  void service() noexcept;
  io_uring_sqe* entry() noexcept;  // never null: reaps until the kernel takes more
  void entry_filled() noexcept;    // submits if submit_batch entries wait
  control_block* take_block() { return blocks_.take(); }
  void started() noexcept { counters_.started.bump(); }
  [[noreturn]] static void end_of_fiber() noexcept;

  // --- any thread
  void post(message& item) noexcept;
  // Any worker of the same scheduler. False: it was not asleep.
  bool wake() noexcept;
  bool sleeps() const noexcept { return inbox_.is_asleep(); }  // a hint

  core& group() noexcept { return group_; }
  std::uint32_t index() const noexcept { return index_; }
  sleep_tree& sleepers() noexcept { return sleepers_; }
  uring& ring() noexcept { return ring_; }
  std::uint64_t enters() const noexcept { return ring_.enters(); }
  const worker_counters& counts() const noexcept { return counters_; }
  void find_victims();  // once all workers exist

  // Posted once, when the scheduler stops; its arrival is all it says.
  call_message& stop_notice() noexcept { return stop_notice_; }

 private:
  friend class execution;

  struct victim {
    worker* who;
    std::int64_t patience_ns;
    std::uintptr_t seen;
    std::int64_t since_ns;
  };

  bool find_work() noexcept;  // false: the scheduler has stopped
  bool poll(std::int64_t now, bool enter) noexcept;
  bool spin() noexcept;
  void park(std::int64_t now) noexcept;
  std::int64_t park_limit(std::int64_t now) noexcept;

  void receive(message* chain) noexcept;
  void reap() noexcept;
  void complete(const io_uring_cqe& entry) noexcept;
  void expire(std::int64_t now) noexcept;
  bool deadline_due(std::int64_t now) const noexcept;
  void adapt_batch(std::int64_t now) noexcept;

  void share() noexcept;
  void wake_one() noexcept;
  bool reclaim() noexcept;
  std::uint32_t adopt(control_block* chain) noexcept;
  bool steal(std::int64_t now) noexcept;
  bool steal_from(victim& from, std::int64_t now) noexcept;
  bool steal_messages(worker& from) noexcept;
  static bool patient(victim& from, std::uintptr_t what, std::int64_t now) noexcept;

  void ring_from_anywhere() noexcept;
  void ring_bell(worker& sleeper) noexcept;
  void write_bell() noexcept;
  void arm_bell() noexcept;

  core& group_;
  const std::uint32_t index_;
  block_cache blocks_;
  uring ring_;
  sleep_tree sleepers_;
  std::vector<victim> victims_;
  std::int64_t last_service_ns_ = 0;
  std::int64_t watch_ns_ = 0;  // > 0: this worker watches others' slots while it sleeps
  std::int32_t batch_ = 0;
  std::uint64_t returns_at_service_ = 0;
  std::uint32_t reclaimed_puts_ = 0;
  int bell_descriptor_ = -1;
  std::uint64_t bell_value_ = 0;
  worker_counters counters_{};
  call_message stop_notice_{[](worker&, call_message&) {}};

  alignas(64) basic_inbox<> inbox_;
  alignas(64) steal_slot<control_block> slot_;
  hint<std::uint32_t> slot_puts_;  // tells a thief whether the slot was filled anew
  hint<bool> slot_surplus_;
};

}  // namespace fiber::detail
