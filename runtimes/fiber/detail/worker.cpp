#include "runtimes/fiber/detail/worker.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/core.hpp"
#include "runtimes/fiber/detail/misuse.hpp"
#include "runtimes/fiber/detail/operation.hpp"
#include "runtimes/fiber/detail/parker.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/error.hpp"

#ifndef IORING_MSG_DATA
#define IORING_MSG_DATA 0
#endif

namespace fiber::detail {

worker::worker(core& group, std::uint32_t index)
    : group_(group),
      index_(index),
      blocks_(group.stacks()),
      ring_(group.settings().ring_entries, group.settings().ring) {
  if (static_cast<void*>(static_cast<execution*>(this)) != this)
    misuse("execution must be the first base of worker");
  exceptions_ = thread_exception_state();
  sanitizer_adopt_thread(loop_.sanitizer);
  bell_descriptor_ = ::eventfd(0, EFD_CLOEXEC);
  if (bell_descriptor_ < 0) throw error("cannot make an eventfd: " + errno_name(errno));
}

worker::~worker() { ::close(bell_descriptor_); }

void worker::loop() noexcept {
  bb_fiber_this_worker = this;
  find_victims();
  arm_bell();
  last_service_ns_ = now_ns();
  while (!ready_.empty() || find_work()) {
    if (--budget_ < 0) service();
    run_front();
    counters_.returns.bump();
  }
  bb_fiber_this_worker = nullptr;
}

void worker::end_of_fiber() noexcept {
  this_worker()->finish(
      [](worker& here, void* argument) noexcept {
        auto* block = static_cast<control_block*>(argument);
        sanitizer_destroy(block->sanitizer);
        here.blocks_.give(block);
        auto& finished = here.counters_.finished;
        // ORDER(fiber.quiet) release: the starts that this fiber made are seen by who counts it; pairs with the
        //   acquire in core::quiescent().
        finished.store(finished.load(std::memory_order_relaxed) + 1, std::memory_order_release);
      },
      this_worker()->running());
}

// --- what comes from outside ---

void worker::push(control_block& block) noexcept {
  block.state = fiber_state::runnable;
  ready_.push_back(&block);
  if (group_.idle() != 0) [[unlikely]]
    share();
}

void worker::post(message& item) noexcept {
  const core::visit visit(group_);
  if (inbox_.post(item)) ring_from_anywhere();
}

bool worker::wake() noexcept {
  if (!inbox_.wake()) return false;
  ring_from_anywhere();
  return true;
}

void worker::ring_from_anywhere() noexcept {
  // A worker of another scheduler writes to the eventfd: it would hear of a failed MSG_RING only later, when this
  // worker may be gone.
  if (worker* here = group_.here(); here != nullptr) {
    here->ring_bell(*this);
  } else {
    write_bell();
  }
}

void worker::receive(message* chain) noexcept {
  while (chain != nullptr) {
    message* item = chain;
    chain = item->next;
    if (item->kind == message_kind::call) {
      auto& call = static_cast<call_message&>(*item);
      call.call(*this, call);
    } else {
      push(static_cast<control_block&>(*item));
    }
  }
}

// --- the ring ---

io_uring_sqe* worker::entry() noexcept {
  io_uring_sqe* found;
  while ((found = ring_.try_entry()) == nullptr)
    reap();  // the kernel takes more once completions have left
  return found;
}

void worker::entry_filled() noexcept {
  counters_.submits.bump();
  if (ring_.waiting() >= group_.settings().submit_batch) ring_.submit();
}

void worker::reap() noexcept {
  ring_.reap([this](const io_uring_cqe& entry) { complete(entry); });
}

void worker::complete(const io_uring_cqe& entry) noexcept {
  constexpr std::uint64_t tag_bits = 7;
  void* pointer = reinterpret_cast<void*>(entry.user_data & ~tag_bits);
  switch (static_cast<completion_tag>(entry.user_data & tag_bits)) {
    case completion_tag::operation:
      counters_.completions.bump();
      static_cast<operation_core*>(pointer)->complete(entry.res);
      break;
    case completion_tag::eventfd:
      arm_bell();  // a read, not a multishot poll: it cannot end unnoticed when the completion queue overflows
      break;
    case completion_tag::failed_doorbell:
      static_cast<worker*>(pointer)->write_bell();
      break;
    case completion_tag::ignored:
    case completion_tag::doorbell:
      break;
  }
}

void worker::arm_bell() noexcept {
  io_uring_sqe* filled = entry();
  ::io_uring_prep_read(filled, bell_descriptor_, &bell_value_, sizeof bell_value_, 0);
  filled->user_data = tagged(nullptr, completion_tag::eventfd);
}

void worker::write_bell() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(bell_descriptor_, &one, sizeof one);
}

void worker::ring_bell(worker& sleeper) noexcept {
  counters_.wakes.bump();
  if (!group_.settings().ring_doorbell) return sleeper.write_bell();
  io_uring_sqe* filled = entry();
  ::io_uring_prep_msg_ring(filled, sleeper.ring_.descriptor(), 0,
                           tagged(nullptr, completion_tag::doorbell), 0);
  filled->flags |= IOSQE_CQE_SKIP_SUCCESS;  // only a failure (an old kernel) is heard of
  filled->user_data = tagged(&sleeper, completion_tag::failed_doorbell);
  ring_.submit();
}

// --- service ---

void worker::service() noexcept {
  const std::int64_t now = now_ns();
  adapt_batch(now);
  counters_.services.bump();
  if (inbox_.has_messages()) receive(inbox_.take_all());
  if (ring_.waiting() != 0 || ring_.needs_enter()) ring_.submit();
  reap();
  if (!sleepers_.empty()) expire(now);
  // Not both: what nobody took would go straight back into the slot, and never run.
  if (!reclaim() && group_.idle() != 0) share();
}

// A batch that took longer than service_ns is halved, a short one doubled: so fibers that compute long between two
// yields do not keep completions and deadlines waiting, and short ones do not pay for a clock reading each.
void worker::adapt_batch(std::int64_t now) noexcept {
  const options& settings = group_.settings();
  const std::int64_t took = now - last_service_ns_;
  // What was taken from the budget and did not come back to the loop, were yields.
  const std::uint64_t returns = counters_.returns.get();
  counters_.yields.bump(static_cast<std::uint64_t>(batch_ - budget_) -
                        (returns - returns_at_service_));
  returns_at_service_ = returns;
  if (took > settings.service_ns) {
    batch_ = std::max(batch_ / 2, 1);
  } else if (took < settings.service_ns / 2) {
    batch_ = std::clamp(batch_ * 2, 1, settings.service_batch);
  }
  budget_ = batch_;
  last_service_ns_ = now;
}

void worker::expire(std::int64_t now) noexcept {
  while (!sleepers_.empty() && sleepers_.earliest().deadline_ns <= now) {
    deadline_passed(*this, sleepers_.pop());
  }
}

// --- finding work ---

// Everything that may come to this worker by itself. Entries are submitted only if `enter`.
bool worker::poll(std::int64_t now, bool enter) noexcept {
  if (inbox_.has_messages()) receive(inbox_.take_all());
  if (enter && (ring_.waiting() != 0 || ring_.needs_enter())) ring_.submit();
  reap();
  if (!sleepers_.empty()) expire(now);
  if (control_block* own = slot_.take(); own != nullptr) adopt(own);
  return !ready_.empty();
}

bool worker::find_work() noexcept {
  if (control_block* own = slot_.take(); own != nullptr) {
    adopt(own);
    return true;
  }
  // Without spinning, the first system call may as well be the one that sleeps: it submits, and returns at once if
  // anything completes.
  const bool spins = group_.settings().spin_ns > 0;
  if (poll(sleepers_.empty() ? 0 : now_ns(), spins)) return true;
  group_.idle_begins();
  while (!spin() && !group_.quiescent()) park(now_ns());
  group_.idle_ends();
  if (watch_ns_ != 0) group_.end_watch();  // share() wakes another one when it is needed
  watch_ns_ = 0;
  last_service_ns_ = now_ns();
  return !ready_.empty();
}

bool worker::spin() noexcept {
  const std::int64_t begin = now_ns();
  std::int64_t now = begin;
  do {
    if (!ready_.empty()) return true;
    if (inbox_.has_messages() || slot_.full() || ring_.needs_enter() || ring_.has_completions() ||
        deadline_due(now)) {
      if (poll(now, true)) return true;
    }
    if (steal(now)) return true;
    for (int i = 0; i < 8; ++i) pause_cpu();
    now = now_ns();
  } while (now - begin < group_.settings().spin_ns);
  return false;
}

void worker::park(std::int64_t now) noexcept {
  if (!inbox_.try_sleep()) return;
  group_.park_begins();
  counters_.parks.bump();
  ring_.submit_and_wait(park_limit(now));
  group_.park_ends();
  receive(inbox_.take_all());
  reap();
  if (!sleepers_.empty()) expire(now_ns());
}

// How long to sleep at most; negative: until something comes.
std::int64_t worker::park_limit(std::int64_t now) noexcept {
  constexpr std::int64_t first_watch_ns = 1'000'000;
  constexpr std::int64_t longest_watch_ns = 10'000'000;
  std::int64_t limit = group_.stopping() ? first_watch_ns : no_deadline;  // see core::quiescent
  if (group_.all_idle()) {
    if (watch_ns_ != 0) group_.end_watch();
    watch_ns_ = 0;
  } else if (watch_ns_ != 0 || group_.begin_watch()) {
    watch_ns_ = watch_ns_ == 0 ? first_watch_ns : std::min(watch_ns_ * 2, longest_watch_ns);
    limit = std::min(limit, watch_ns_);
  }
  if (!sleepers_.empty())
    limit = std::min(limit, std::max<std::int64_t>(sleepers_.earliest().deadline_ns - now, 0));
  return limit == no_deadline ? -1 : limit;
}

bool worker::deadline_due(std::int64_t now) const noexcept {
  return !sleepers_.empty() && sleepers_.earliest().deadline_ns <= now;
}

}  // namespace fiber::detail
