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
  patience.store_relaxed(more ? std::min(now + 1, patience_max) : 0);  // relaxed: as above
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
    if (w.seen.load_relaxed() != now) {  // relaxed: a heuristic
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
  seen.store_relaxed(now);  // relaxed: a heuristic
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

// The policy of a worker's idle time, called by crew::find_work.
struct worker::idler {
  worker& w;
  job* const target;
  bool looking;       // this turn looks round: at once when just run dry, later at every beat
  bool soon = false;  // the last rest was a short one because of a young run
  sight last{};

  void look() noexcept {
    if (looking) last = w.look_round();
  }
  job* search() noexcept {
    const bool expecting = target != nullptr || (looking && last.old);
    return w.search(target, expecting ? search_turns : 1);
  }
  bool over() const noexcept { return w.over(target); }
  void sleep() noexcept;
};

void worker::idler::sleep() noexcept {
  team& t = w.owner_team;
  const auto ends = [this] { return over(); };
  if (!t.members.holds_beat(w)) {
    t.members.rest(w, forever_ns, ends);
    // Woken for an offer; or else the beat is now ours, and the first look comes after an interval.
    looking = false;
    return;
  }
  if (looking) {
    // A run that was young a moment ago is looked at again soon, so that a long one need not wait.
    soon = last.young && !soon;
    if (!last.old && !soon) t.be_patient(true);
  }
  const unsigned patience = soon ? 0 : t.patience.load_relaxed();  // relaxed: a heuristic
  const bool quiet = target == nullptr && looking && last.none() && patience == team::patience_max;
  looking = quiet && t.members.doze(w, ends);
  if (!looking) looking = !t.members.rest(w, t.settings.beat_interval_ns << patience, ends);
}

// Returns a job of somebody else, or null when it is over: `target` is done or, without one, the team stops.
job* worker::find_work(job* target) noexcept {
  halt();
  idler i{.w = *this,
          .target = target,
          .looking = owner_team.patience.load_relaxed() == 0};  // relaxed: a heuristic
  job* const found = owner_team.members.find_work(*this, i);
  if (found != nullptr || target != nullptr) proceed();
  return found;
}

// No beats for us while we have nothing to share. The owner alone writes `pulse`.
void worker::halt() noexcept {
  const std::uint64_t now = pulse.load_relaxed();  // relaxed: single writer
  if (now % 2 == 1) pulse.store_relaxed(now + 1);
}

// Computing again, and old at once: something has been shared already.
void worker::proceed() noexcept {
  const std::uint64_t now =
      pulse.load_relaxed() + 1;  // relaxed: single writer; the rest a heuristic
  seen.store_relaxed(now);       // relaxed: a heuristic
  pulse.store_relaxed(now);      // relaxed: a heuristic
}

}  // namespace heartbeat::detail
