// What a worker does without work: search, ask for work by beats, sleep.
#include <algorithm>
#include <utility>

#include "team.hpp"
#include "worker.hpp"

namespace heartbeat::detail {
namespace {

// Long enough for a busy worker to hear a beat and answer, and for a short job to end; short enough
// not to hurt whoever else wants the CPU.
constexpr int search_turns = 100;

}  // namespace

void team::be_patient(bool more) noexcept {
  const unsigned now = patience.load_relaxed();  // relaxed: a heuristic; lost updates do no harm
  patience.store_relaxed(more ? std::min(now + 1, patience_max) : 0);
}

// Beats every run that was going on at the last look. The holder of the beat also notes which ones
// go on now.
worker::sight worker::look_round() noexcept {
  const bool beater = owner_team.members.holds_beat(*this);
  sight s;
  owner_team.members.any([&](member& m) {
    auto& w = static_cast<worker&>(m);
    const std::uint64_t now =
        w.pulse.load_relaxed();  // relaxed: a heuristic, as all of pulse and seen
    if (now % 2 == 0) return false;
    if (w.seen.load_relaxed() != now) {
      s.young = true;
      if (beater) w.note(now);
    } else if (w.limit.load_relaxed() == nullptr) {  // relaxed: a heuristic
      s.deaf = true;
    } else {
      s.old = true;
      if (beater) s.grown |= std::exchange(w.young, false);
      w.beat();
    }
    return false;
  });
  if (s.grown) owner_team.be_patient(false);
  return s;
}

void worker::note(std::uint64_t now) noexcept {
  seen.store_relaxed(now);
  young = true;
}

job* worker::search(job* target, int turns) noexcept {
  for (; turns > 0; --turns) {
    member* from = nullptr;
    if (job* j = owner_team.members.take(*this, from)) {
      // Somebody else is still hungry: the same victim shall go on sharing.
      if (owner_team.patience.load_relaxed() == 0 && owner_team.members.demand())
        static_cast<worker*>(from)->beat();
      return j;
    }
    if (over(target)) return nullptr;
    os_platform::relax();
  }
  return nullptr;
}

// ORDER(hb.done): seq_cst (acquire side), pairs with the store in run_stolen(), see there.
bool worker::over(job* target) const noexcept {
  return target != nullptr ? target->done.load_seq_cst() : owner_team.members.stopping();
}

// Returns a job of somebody else, or null when it is over: `target` is done or, without one, the
// team stops.
job* worker::find_work(job* target) noexcept {
  crew& members = owner_team.members;
  halt();
  members.want();
  vigil v{.look = owner_team.patience.load_relaxed() == 0};  // relaxed: a heuristic
  job* found = nullptr;
  for (;;) {
    members.start_search();
    if (v.look) v.last = look_round();
    found = search(target, target != nullptr || (v.look && v.last.old) ? search_turns : 1);
    if (found != nullptr || over(target)) break;
    members.stop_search();
    v.look = rest(target, v);
  }
  members.finish();
  members.pass_beat(*this);
  if (found != nullptr || target != nullptr) proceed();
  return found;
}

// Sleeps; true if it is time to look round.
bool worker::rest(job* target, vigil& v) noexcept {
  team& t = owner_team;
  const auto done = [&] { return over(target); };
  if (!t.members.holds_beat(*this)) {
    t.members.rest(*this, forever_ns, done);
    return false;  // woken for an offer, or else the beat is now ours and the first look comes
                   // after an interval
  }
  if (v.look) {
    // A run that was young a moment ago is looked at again soon, so that a long one need not wait.
    v.soon = v.last.young && !v.soon;
    if (!v.last.old && !v.soon) t.be_patient(true);
  }
  const unsigned patience = v.soon ? 0 : t.patience.load_relaxed();  // relaxed: a heuristic
  if (target == nullptr && v.look && v.last.none() && patience == team::patience_max &&
      t.members.doze(*this, done)) {
    return true;
  }
  return !t.members.rest(*this, t.settings.beat_interval_ns << patience, done);
}

// No beats for us while we have nothing to share. The owner alone writes `pulse`.
void worker::halt() noexcept {
  const std::uint64_t now = pulse.load_relaxed();
  if (now % 2 == 1) pulse.store_relaxed(now + 1);
}

// Computing again, and old at once: something has been shared already.
void worker::proceed() noexcept {
  const std::uint64_t now = pulse.load_relaxed() + 1;
  seen.store_relaxed(now);
  pulse.store_relaxed(now);
}

}  // namespace heartbeat::detail
