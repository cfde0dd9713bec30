// Crew: who offers work, who wants it, who sleeps, who beats. All that crosses threads goes through
// here, but the beat itself (worker.hpp) and the end of a job (worker.cpp).
//
// Nouns: a *member* is a worker's part in the crew. An *offer* is a job in a member's slot. A
// member *wants* work while it is idle: first it *searches* (spins), then it *sleeps*. One wanting
// member holds the *beat*: it sleeps with a timeout and looks after the others. It *dozes*, without
// timeout, when nothing runs at all.
//
// Touched by: every member; blocking: only rest() and doze(), in the member's own parker.
// Invariants (tests/model/heartbeat_crew_model.cpp):
//   `taken once`    a job is taken by exactly one of: a thief (take), its owner (take_back).
//   `heard`         while an offer stands, some member searches, or no idle member sleeps, or a
//                   notification is under way.
//   `minded`        while members want work and something runs, one of them holds the beat or is
//                   being woken.
// Why `heard` holds: an offer is made before `searching_` and the parkers are read; a searcher
// leaves `searching_`, and declares itself asleep, before it reads `offers_`. All of these are in
// one total order (seq_cst), so either the offerer sees the searcher or sleeper, or the latter sees
// the offer. Whoever goes away with something better to do passes the duty on (pass_on()).
#pragma once
#include <cstdint>

#include "parker.hpp"
#include "platform.hpp"

namespace heartbeat::detail {

// A cache line, doubled for the adjacent-line prefetcher.
inline constexpr std::size_t line_size = 128;

template <class Platform, class Job>
struct basic_member {
  template <class T>
  using word = typename Platform::template word<T>;

  alignas(line_size) word<Job*> slot{nullptr};
  basic_parker<Platform> parker;
  word<bool> claimed{false};  // inside a run; those of the pool's own threads stay unclaimed
  word<basic_member*> next{nullptr};
};

template <class Platform, class Job>
class basic_crew {
 public:
  using member = basic_member<Platform, Job>;

  // Adds a member for good. Callers serialise.
  void enlist(member& m) noexcept {
    m.next.store_relaxed(first_.load_relaxed());  // relaxed: published by the next line
    // ORDER(hb.enlist): seq_cst (release side), pairs with the load in any(); without it a reader
    // finds a member whose fields are not written yet. seq_cst because of doze(), see there.
    first_.store_seq_cst(&m);
  }

  // Visits the members until one visit returns true.
  template <class Visit>
  bool any(Visit visit) noexcept {
    // ORDER(hb.enlist): seq_cst (acquire side), pairs with the store in enlist().
    member* m = first_.load_seq_cst();
    while (m != nullptr && !visit(*m)) m = m->next.load_relaxed();  // relaxed: never changes
    return m != nullptr;
  }

  // --- Offers. The owner of the slot offers and takes back, anyone takes.

  // More members want work than there are offers.
  bool demand() const noexcept {
    // relaxed: a hint, a wrong one costs one beat
    return wanting_.load_relaxed() > offers_.load_relaxed();
  }

  // relaxed: only the owner, who asks, fills it
  bool vacant(const member& m) const noexcept { return m.slot.load_relaxed() == nullptr; }

  // pre: vacant(m).
  void offer(member& m, Job& j) noexcept {
    // ORDER(hb.offer): release, pairs with the exchange in take(); without it the taker runs a job
    // with stale fields.
    m.slot.store_release(&j);
    // ORDER(hb.heard): seq_cst, pairs with the loads of offers_ in rest() and pass_on(); see `heard`.
    offers_.add_seq_cst(1);
    // ORDER(hb.heard): seq_cst, pairs with the additions to searching_ in find_work().
    if (searching_.load_seq_cst() == 0) wake_one();
  }

  // The job if it was still there; then it is the owner's again. Else null.
  Job* take_back(member& m) noexcept { return vacant(m) ? nullptr : take_from(m); }

  // A job from anybody's slot, or null. `from` is set to whose it was.
  Job* take(member& self, member*& from) noexcept {
    if (offers_.load_relaxed() <= 0) return nullptr;  // relaxed: a hint, rest() looks again
    Job* found = nullptr;
    const auto look = [&](member& m) {
      if (m.slot.load_relaxed() == nullptr) return false;  // relaxed: a hint, the exchange decides
      found = take_from(m);
      from = &m;
      return found != nullptr;
    };
    // Start behind ourselves, so that not everybody robs the same victim.
    member* m = self.next.load_relaxed();                          // relaxed: never changes
    while (m != nullptr && !look(*m)) m = m->next.load_relaxed();  // relaxed: never changes
    if (found == nullptr) any([&](member& other) { return &other == &self || look(other); });
    return found;
  }

  // --- Wanting work.

  // Stays until there is a job, which is returned, or `idler.over()`: then null. The idler has the policy:
  //   look()    called while searching: perhaps beats others
  //   search()  tries take() some times, returns a job or null
  //   over()    seq_cst: whether there is something better to do
  //   sleep()   calls rest() or doze()
  template <class Idler>
  Job* find_work(member& m, Idler& idler) noexcept {
    Job* found = nullptr;
    wanting_.add_seq_cst(1);  // ORDER(hb.minded): seq_cst, pairs with the load in pass_beat().
    for (;;) {
      // ORDER(hb.heard): seq_cst, pairs with the load in offer(): whoever is counted here has yet to
      // read offers_.
      searching_.add_seq_cst(1);
      idler.look();
      found = idler.search();
      if (found != nullptr || idler.over()) break;
      // ORDER(hb.heard): seq_cst, pairs with the load in offer(): an offer that counted on us is
      // seen by rest().
      searching_.add_seq_cst(-1);
      idler.sleep();
    }
    searching_.add_seq_cst(-1);  // ORDER(hb.heard): as above, an offer is seen by pass_on().
    pass_on();
    wanting_.add_seq_cst(-1);  // ORDER(hb.minded): seq_cst, pairs with the load in pass_beat().
    pass_beat(m);
    return found;
  }

  // For an idler: sleeps until notified or the timeout is over, unless there is an offer or
  // `over()`. False if the time was over. `forever_ns` is for a member without the beat; it may
  // return with the beat instead of sleeping.
  template <class Over>
  bool rest(member& m, std::int64_t timeout_ns, Over over) noexcept {
    m.parker.prepare();
    // ORDER(hb.heard): seq_cst, pairs with the addition in offer(), by way of hb.park.
    if (offers_.load_seq_cst() > 0 || over()) return m.parker.cancel(), true;
    // Declares itself asleep, then sees that somebody else holds the beat; pass_beat() the reverse.
    if (timeout_ns == forever_ns && take_beat(m)) return m.parker.cancel(), true;
    return m.parker.sleep(timeout_ns);
  }

  // For an idler with the beat: sleeps until somebody starts a run. False, without sleeping, if one
  // goes on, there is an offer or `over()`.
  template <class Over>
  bool doze(member& m, Over over) noexcept {
    m.parker.prepare();
    // ORDER(hb.doze): seq_cst, pairs with the load in begin_run(); the dozer declares itself, then
    // looks for runs; a run declares itself, then looks for a dozer. Without it both miss each
    // other and the run is never beaten.
    dozing_.store_seq_cst(&m);
    // ORDER(hb.doze): seq_cst, pairs with the exchange in begin_run().
    const bool running = any([](member& other) { return other.claimed.load_seq_cst(); });
    // ORDER(hb.heard): seq_cst, pairs with the addition in offer().
    const bool quiet = !running && offers_.load_seq_cst() <= 0 && !over();
    if (quiet) {
      m.parker.sleep(forever_ns);
    } else {
      m.parker.cancel();
    }
    // ORDER(hb.doze): seq_cst, pairs with the exchange in wake_dozer().
    dozing_.replace_seq_cst(&m, nullptr);
    return quiet;
  }

  // Sleeps until `over()`, without wanting work.
  template <class Over>
  void wait(member& m, Over over) noexcept {
    for (;;) {
      m.parker.prepare();
      const bool ends = over();
      // Somebody may have woken us, of all members, for an offer.
      if (ends ? m.parker.cancel() : m.parker.sleep(forever_ns)) pass_on();
      if (ends) return;
    }
  }

  // --- The beat: a token held by one wanting member.

  bool holds_beat(const member& m) const noexcept {
    return beater_.load_relaxed() == &m;  // relaxed: only we write our own address
  }

  // --- Runs.

  // Claims a free member for a run. False: somebody else has it.
  bool begin_run(member& m) noexcept {
    // ORDER(hb.claim): seq_cst (acquire side), pairs with the store in end_run(): the last user's
    // writes to the worker are visible. ORDER(hb.doze): seq_cst, pairs with the look at `claimed` in
    // doze().
    if (m.claimed.load_relaxed() || m.claimed.exchange_seq_cst(true))
      return false;  // relaxed: a hint
    announce_run();
    return true;
  }

  // pre: the run's member is claimed and enlisted.
  void announce_run() noexcept {
    // ORDER(hb.doze): seq_cst, pairs with the store in doze().
    if (dozing_.load_seq_cst() != nullptr) [[unlikely]]
      wake_dozer();
  }

  // ORDER(hb.claim): release, pairs with the exchange in begin_run(); without it the next user
  // finds a worker half left.
  void end_run(member& m) noexcept { m.claimed.store_release(false); }

  // --- The end.

  // ORDER(hb.stop): seq_cst, pairs with the load in stopping(); by way of hb.park no sleeper misses
  // it.
  void stop() noexcept {
    stopping_.store_seq_cst(true);
    any([](member& m) { return m.parker.notify(), false; });
  }

  // ORDER(hb.stop): seq_cst, pairs with the store in stop().
  bool stopping() const noexcept { return stopping_.load_seq_cst(); }

 private:
  template <class T>
  using word = typename Platform::template word<T>;

  bool take_beat(member& m) noexcept {
    // ORDER(hb.beat): seq_cst (acquire side), pairs with the store in pass_beat(): what the last
    // holder knew of the runs (worker::seen) is read by the next.
    return beater_.replace_seq_cst(nullptr, &m);
  }

  // Gives up the beat, if held; somebody else who wants work is woken to take it.
  void pass_beat(member& m) noexcept {
    if (!holds_beat(m)) return;
    // ORDER(hb.beat): seq_cst (release side), pairs with take_beat(). Before the wake: who is not
    // yet asleep finds the token, who is asleep gets the notification.
    beater_.store_seq_cst(nullptr);
    // ORDER(hb.minded): seq_cst, pairs with the additions in find_work().
    if (wanting_.load_seq_cst() > 0) wake_one();
  }

  Job* take_from(member& m) noexcept {
    // ORDER(hb.offer): seq_cst (acquire side), pairs with the store in offer(). An exchange, so
    // that of thief and owner only one gets the job.
    Job* j = m.slot.exchange_seq_cst(nullptr);
    if (j != nullptr)
      offers_.add_seq_cst(
          -1);  // ORDER(hb.heard): seq_cst, pairs with the loads in rest(), find_work()
    return j;
  }

  // What an offerer counted on us for, somebody else shall do.
  void pass_on() noexcept {
    // ORDER(hb.heard): seq_cst, pairs with the additions in offer() and find_work().
    if (offers_.load_seq_cst() > 0 && searching_.load_seq_cst() == 0) wake_one();
  }

  // Prefers a sleeper that does not hold the beat, so that the beat need not change hands.
  void wake_one() noexcept {
    member* beater = beater_.load_relaxed();  // relaxed: a preference only
    if (any([&](member& m) { return &m != beater && m.parker.notify(); })) return;
    if (beater != nullptr) beater->parker.notify();
  }

  [[gnu::noinline, gnu::cold]] void wake_dozer() noexcept {
    // ORDER(hb.doze): seq_cst, pairs with the replacement in doze(): one run wakes the dozer, the
    // others go on.
    if (member* dozer = dozing_.exchange_seq_cst(nullptr)) dozer->parker.notify();
  }

  alignas(line_size) word<member*> first_{nullptr};
  word<member*> dozing_{nullptr};
  word<bool> stopping_{false};
  alignas(line_size) word<std::int32_t> wanting_{0};
  word<std::int32_t> offers_{0};  // may be -1 for a moment: a thief can be faster than the count
  word<std::int32_t> searching_{0};
  word<member*> beater_{nullptr};
};

}  // namespace heartbeat::detail
