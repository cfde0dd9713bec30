// Parker: lets one thread sleep until another notifies it, without ever losing a notification.
//
// Touched by: the owner (prepare, cancel, sleep) and any thread (notify). notify() never blocks.
// States: awake -> asleep (owner, prepare) -> notified (anyone, notify) -> awake (owner, cancel or
// sleep). Invariant `told`: a notify() that returns true ends the owner's current or next sleep().
//
// The owner must look again for what it waits for between prepare() and sleep(); the notifier must
// make that visible before notify(). Both sides then do "write mine, read yours" in one total
// order, so at least one sees the other:
//
//     sleeper                                   notifier
//     state = asleep          (seq_cst)         work = there           (seq_cst)
//     read work               (seq_cst)         read state             (seq_cst)
//     nothing there: sleep                      asleep: notify
//
// Whichever write comes first, the other side reads it. Without seq_cst both could read the old
// value: a lost wake-up.
#pragma once
#include <cstdint>

#include "platform.hpp"

namespace heartbeat::detail {

template <class Platform>
class basic_parker {
 public:
  // ORDER(hb.park): seq_cst, pairs with the load in notify(); without it the sleeper's look for
  // work may be done before this store is visible, and both sides miss each other.
  void prepare() noexcept { state_.store_seq_cst(asleep); }

  // ORDER(hb.park): seq_cst (acquire side), pairs with the exchange of asleep in notify(); without
  // it what the notifier wrote before may be invisible after waking. True if somebody has notified
  // us.
  bool cancel() noexcept { return state_.exchange_seq_cst(awake) == notified; }

  // As cancel(), after sleeping. May return early for no reason; the caller looks again anyway.
  bool sleep(std::int64_t timeout_ns) noexcept {
    Platform::wait(state_, asleep, timeout_ns);
    return cancel();
  }

  // True if this call, and no other, has ended a sleep.
  bool notify() noexcept {
    // ORDER(hb.park): seq_cst, pairs with the store in prepare(), see above. The replacement is the
    // release side of cancel().
    if (state_.load_seq_cst() != asleep || !state_.replace_seq_cst(asleep, notified)) return false;
    Platform::wake(state_);
    return true;
  }

 private:
  static constexpr std::int32_t awake = 0, asleep = 1, notified = 2;
  typename Platform::template word<std::int32_t> state_{awake};
};

}  // namespace heartbeat::detail
