#include "runtimes/fiber/detail/parker.hpp"

#include "runtimes/fiber/detail/futex.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/detail/worker.hpp"

namespace fiber::detail {

struct parker::request {
  parker* who;
  std::uint32_t fires;
  std::int64_t deadline_ns;
};

parker::parker() noexcept : fiber_(this_worker() == nullptr ? nullptr : this_worker()->running()) {}

bool parker::park(std::uint32_t fires, std::int64_t deadline_ns) noexcept {
  while (!word_.fired(fires)) {
    if (deadline_ns != no_deadline && now_ns() >= deadline_ns) return false;
    if (fiber_ != nullptr ? suspend_fiber(fires, deadline_ns) : suspend_thread(fires, deadline_ns))
      return true;
  }
  return true;
}

bool parker::suspend_fiber(std::uint32_t fires, std::int64_t deadline_ns) noexcept {
  request wanted{this, fires, deadline_ns};
  const auto off_its_stack = [](worker& here, void* argument) noexcept {
    const auto& asked = *static_cast<request*>(argument);
    control_block& block = *asked.who->fiber_;
    if (asked.deadline_ns != no_deadline) {
      ++block.bound;  // the deadline is in this worker's tree
      block.parked_on = &asked.who->word_;
      here.sleepers().insert(block, asked.deadline_ns);
    }
    // From a successful publish on, the fiber may run elsewhere: nothing of it may be touched.
    if (!asked.who->word_.publish(asked.fires)) here.push(block);
  };
  this_worker()->suspend(off_its_stack, &wanted);
  if (deadline_ns != no_deadline) {
    if (fiber_->linked) this_worker()->sleepers().remove(*fiber_);
    --fiber_->bound;
  }
  return word_.fired(fires);
}

bool parker::suspend_thread(std::uint32_t fires, std::int64_t deadline_ns) noexcept {
  if (!word_.publish(fires)) return true;
  const std::uint32_t seen =
      word_.raw().load(std::memory_order_relaxed);  // relaxed: the kernel compares again
  if (basic_park_word<>::is_parked(seen)) futex_wait(word_.raw(), seen, deadline_ns);
  // Clears `parked` after a timeout or an early return, so that nobody makes a wake-up call that is not needed.
  [[maybe_unused]] const bool still_parked = word_.expire();
  return word_.fired(fires);
}

void parker::fire() noexcept {
  control_block* sleeper = fiber_;
  auto& address = word_.raw();
  if (!word_.fire()) return;
  if (sleeper != nullptr) {
    make_runnable(*sleeper);
  } else {
    futex_wake_all(address);
  }
}

void make_runnable(control_block& block) noexcept {
  worker* home = block.home;
  if (home == this_worker()) {
    home->push(block);
  } else {
    home->post(block);
  }
}

void deadline_passed(worker& here, sleep_node& node) noexcept {
  auto& block = static_cast<control_block&>(node);
  if (block.parked_on->expire()) here.push(block);
}

}  // namespace fiber::detail
