// The sharing half of worker: what an owner sets aside, and what a thief takes. See worker.hpp.
#include <algorithm>

#include "runtimes/fiber/detail/core.hpp"
#include "runtimes/fiber/detail/worker.hpp"

namespace fiber::detail {

void worker::find_victims() {
  const options& settings = group_.settings();
  if (!settings.stealing) return;
  for (const steal_victim& each : steal_order(settings.places, index_, settings.seed)) {
    victims_.push_back(
        {&group_.at(each.index), settings.patience_ns[static_cast<std::size_t>(each.tier)], 0, 0});
  }
}

// --- owner ---

// Sets half of the waiting fibers aside, oldest first, and sees to it that somebody looks. Called only while some
// worker is idle. A single waiting fiber wakes nobody who sleeps if there is a watcher: mostly its owner runs it at
// once.
void worker::share() noexcept {
  constexpr std::uint32_t most_shared = 32;
  if (victims_.empty() || ready_.empty()) return;
  const std::uint32_t waiting = ready_.size() - 1;
  if (waiting > 0 && !slot_.full()) {
    control_block* chain =
        ready_.take_behind_front(std::clamp(waiting / 2, 1u, most_shared),
                                 [](const control_block& block) { return block.bound == 0; });
    if (chain == nullptr) return;
    slot_surplus_.set(waiting > 1);
    slot_puts_.bump();
    [[maybe_unused]] const bool was_empty = slot_.put(chain);
  }
  const bool wanted = slot_surplus_.get() || !group_.watched();
  if (slot_.full() && wanted && !group_.somebody_searches()) wake_one();
}

void worker::wake_one() noexcept {
  if (group_.parked() == 0) return;
  for (victim& each : victims_) {
    if (each.who->wake()) return;
  }
}

// What nobody took between two services is run here after all; true if there was any.
bool worker::reclaim() noexcept {
  if (!slot_.full()) return false;
  const std::uint32_t puts = slot_puts_.get();
  const bool lay_there_before = puts == reclaimed_puts_;
  reclaimed_puts_ = puts;
  control_block* chain = lay_there_before ? slot_.take() : nullptr;
  return chain != nullptr && adopt(chain) > 0;
}

std::uint32_t worker::adopt(control_block* chain) noexcept {
  std::uint32_t count = 0;
  for (; chain != nullptr; ++count) {
    control_block* block = chain;
    chain = run_ring::next_of(block);
    block->home = this;
    ready_.push_back(block);
  }
  return count;
}

// --- thief ---

bool worker::steal(std::int64_t now) noexcept {
  for (victim& each : victims_) {
    if (steal_from(each, now)) return true;
  }
  return false;
}

bool worker::patient(victim& from, std::uintptr_t what, std::int64_t now) noexcept {
  if (from.seen != what) {
    from.seen = what;
    from.since_ns = now;
  }
  return now - from.since_ns >= from.patience_ns;
}

bool worker::steal_from(victim& from, std::int64_t now) noexcept {
  worker& owner = *from.who;
  if (owner.slot_.full()) {
    const bool surplus = owner.slot_surplus_.get();
    const std::uintptr_t puts = owner.slot_puts_.get();
    if (!surplus && !patient(from, puts << 1 | 1, now)) return false;
    control_block* chain = owner.slot_.take();
    if (chain != nullptr) counters_.steals.bump(adopt(chain));
    return chain != nullptr;
  }
  if (!owner.inbox_.has_messages()) {
    from.seen = 0;
    return false;
  }
  if (!patient(from, owner.inbox_.hint(), now)) return false;
  if (steal_messages(owner)) return true;
  // Nothing of it may move. Its owner is busy; ask again much later.
  constexpr std::int64_t pause_ns = 1'000'000;
  from.since_ns = now + pause_ns;
  return false;
}

// An owner that computes for long does not look into its inbox. Fibers that may move are taken, the rest is given
// back.
bool worker::steal_messages(worker& owner) noexcept {
  message* chain = owner.inbox_.steal_all();
  const std::uint32_t before = ready_.size();
  while (chain != nullptr) {
    message* item = chain;
    chain = item->next;
    auto* block = item->kind == message_kind::fiber ? static_cast<control_block*>(item) : nullptr;
    if (block != nullptr && block->bound == 0) {
      block->next = nullptr;
      counters_.steals.bump(adopt(block));
    } else {
      owner.post(*item);
    }
  }
  return ready_.size() != before;
}

}  // namespace fiber::detail
