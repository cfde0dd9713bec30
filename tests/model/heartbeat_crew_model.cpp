// The crew's protocols, the real code (crew.hpp, parker.hpp), under Relacy: share and take, last
// entry, sleep and wake, doze, the beat changing hands, shutdown. Where an order matters, a
// platform on which it is too weak must break the suite: so a model that checks nothing is found
// out.
#include <gtest/gtest.h>

#include "relacy_platform.hpp"
#include "runtimes/heartbeat/crew.hpp"

namespace {

using heartbeat::detail::basic_crew;
using heartbeat::detail::basic_member;
using heartbeat::detail::basic_parker;
using heartbeat::detail::forever_ns;

struct job {
  rl::var<int> argument;  // plain data: Relacy reports a race if it is not published properly
  rl::var<int> result;
  relacy_word<bool> done;
};

template <class Platform>
using crew_of = basic_crew<Platform, job>;
template <class Platform>
using member_of = basic_member<Platform, job>;

// Platforms with one order too weak.
template <class T>
struct no_release : relacy_word<T> {
  using relacy_word<T>::relacy_word;
  void store_release(T value) { this->store_relaxed(value); }
};
template <class T>
struct no_seq_cst_store : relacy_word<T> {
  using relacy_word<T>::relacy_word;
  void store_seq_cst(T value) { this->store_release(value); }
};
struct platform_without_release : relacy_platform {
  template <class T>
  using word = no_release<T>;
};
struct platform_without_seq_cst_store : relacy_platform {
  template <class T>
  using word = no_seq_cst_store<T>;
};

// --- Parker: what is written before notify() is seen, and no notification is lost.

template <class Platform>
struct parking : rl::test_suite<parking<Platform>, 2> {
  basic_parker<Platform> parker;
  typename Platform::template word<int> work{0};

  void thread(unsigned index) {
    if (index == 0) {
      work.store_seq_cst(1);
      parker.notify();
      return;
    }
    for (;;) {
      parker.prepare();
      if (work.load_seq_cst() == 1) break;
      parker.sleep(forever_ns);
    }
    parker.cancel();
  }
};

// --- Share and take: two owners and a thief want the last jobs; each is had by one, with all its
// fields.

template <class Platform>
struct last_entry : rl::test_suite<last_entry<Platform>, 3> {
  crew_of<Platform> crew;
  member_of<Platform> members[3];
  job jobs[2];
  relacy_word<int> takers[2];

  void before() {
    for (auto& m : members) crew.enlist(m);
  }

  void thread(unsigned index) {
    if (index < 2) {
      jobs[index].argument($) = 42;
      crew.offer(members[index], jobs[index]);
      if (crew.take_back(members[index]) != nullptr) run(jobs[index]);
    } else {
      member_of<Platform>* from = nullptr;
      if (job* stolen = crew.take(members[2], from)) {
        RL_ASSERT(from == &members[stolen - jobs]);
        run(*stolen);
      }
    }
  }

  void run(job& j) {
    RL_ASSERT(j.argument($) == 42);
    takers[&j - jobs].add_seq_cst(1);
  }

  void after() {
    for (int i = 0; i < 2; ++i) {
      RL_ASSERT(takers[i].load_relaxed() == 1 && members[i].slot.load_relaxed() == nullptr);
    }
  }
};

// --- Idle members. The idler here is the real one without the clock: beats are not modelled, only
// who sleeps.

template <class Platform>
struct idler {
  crew_of<Platform>& crew;
  member_of<Platform>& self;
  job* target;

  void look() {}
  job* search() {
    member_of<Platform>* from = nullptr;
    return crew.take(self, from);
  }
  bool over() { return target != nullptr ? target->done.load_seq_cst() : crew.stopping(); }
  // Only untimed sleeps, so that a lost wake-up cannot be mended by a timeout.
  void sleep() {
    const auto ends = [this] { return over(); };
    if (crew.holds_beat(self) && target == nullptr) {
      crew.doze(self, ends);
    } else {
      crew.rest(self, forever_ns, ends);
    }
  }
};

template <class Platform>
void run_stolen(job& j, member_of<Platform>& owner) {
  j.result($) = j.argument($) + 1;
  j.done.store_seq_cst(true);
  owner.parker.notify();
}

// An offerer that waits for its jobs (never taking them back), and members that sleep in between:
// every offer is heard, every end is heard, and all end at shutdown.
template <class Platform, unsigned Idle>
struct sleep_and_wake : rl::test_suite<sleep_and_wake<Platform, Idle>, Idle + 1> {
  crew_of<Platform> crew;
  member_of<Platform> owner, members[Idle];
  job jobs[2];

  void before() {
    crew.enlist(owner);
    for (auto& m : members) crew.enlist(m);
  }

  void thread(unsigned index) {
    if (index == 0) {
      for (job& j : jobs) {
        j.argument($) = 1;
        crew.offer(owner, j);
        // Waits as a joiner does, but takes nothing: a lost offer is a deadlock.
        for (;;) {
          owner.parker.prepare();
          if (j.done.load_seq_cst()) break;
          owner.parker.sleep(forever_ns);
        }
        owner.parker.cancel();
        RL_ASSERT(j.result($) == 2);
      }
      crew.stop();
    } else {
      idler<Platform> i{crew, members[index - 1], nullptr};
      while (job* j = crew.find_work(members[index - 1], i)) run_stolen<Platform>(*j, owner);
    }
  }
};

// Two offers that may both count on the same searcher: it takes one and is gone, so it has to pass
// the other on.
template <class Platform>
struct duty_is_passed_on : rl::test_suite<duty_is_passed_on<Platform>, 3> {
  crew_of<Platform> crew;
  member_of<Platform> owners[2], members[2];
  job jobs[2];

  void before() {
    for (auto& m : owners) crew.enlist(m);
    for (auto& m : members) crew.enlist(m);
  }

  void thread(unsigned index) {
    if (index == 0) {
      crew.offer(owners[0], jobs[0]);
      crew.offer(owners[1], jobs[1]);
    } else {
      idler<Platform> i{crew, members[index - 1], nullptr};
      RL_ASSERT(crew.find_work(members[index - 1], i) != nullptr);
    }
  }
};

// Joiners that help: two members offer one job each, then wait for it as idle members that may take
// the other's; or, with Help = false, just wait and pass on what they are woken for.
template <class Platform, bool Help>
struct joiners : rl::test_suite<joiners<Platform, Help>, 3> {
  crew_of<Platform> crew;
  member_of<Platform> members[3];
  job jobs[2];
  relacy_word<int> joined{0};

  void before() {
    for (auto& m : members) crew.enlist(m);
  }

  void thread(unsigned index) {
    if (index == 2) return serve(members[2], nullptr);
    job& mine = jobs[index];
    mine.argument($) = 7;
    crew.offer(members[index], mine);
    if (Help) {
      serve(members[index], &mine);
    } else {
      crew.wait(members[index], [&] { return mine.done.load_seq_cst(); });
    }
    RL_ASSERT(mine.result($) == 8);
    if (joined.add_seq_cst(1) == 1) crew.stop();
  }

  void serve(member_of<Platform>& self, job* target) {
    idler<Platform> i{crew, self, target};
    while (target == nullptr || !target->done.load_acquire()) {
      job* j = crew.find_work(self, i);
      if (j != nullptr) {
        run_stolen<Platform>(*j, j == &jobs[0] ? members[0] : members[1]);
      } else if (target == nullptr) {
        return;
      }
    }
  }
};

// --- Doze: the holder of the beat sleeps because nothing runs; a run that begins wakes it. A run
// that is not seen by its beater waits for ever.

template <class Platform>
struct doze_and_run : rl::test_suite<doze_and_run<Platform>, 2> {
  crew_of<Platform> crew;
  member_of<Platform> runner, dozer;
  basic_parker<relacy_platform> beaten_parker;
  relacy_word<bool> beaten{false};

  void before() {
    crew.enlist(runner);
    crew.enlist(dozer);
    crew.rest(dozer, forever_ns, [] { return false; });
    RL_ASSERT(crew.holds_beat(dozer));
  }

  void thread(unsigned index) {
    if (index == 0) {
      RL_ASSERT(crew.begin_run(runner));
      for (;;) {
        beaten_parker.prepare();
        if (beaten.load_seq_cst()) break;
        beaten_parker.sleep(forever_ns);
      }
      beaten_parker.cancel();
      crew.end_run(runner);
    } else {
      while (!runner.claimed.load_seq_cst()) crew.doze(dozer, [] { return false; });
      beaten.store_seq_cst(true);
      beaten_parker.notify();
    }
  }
};

// --- Runs: a member is used by one run at a time, and what the last one wrote is seen.

template <class Platform>
struct claims : rl::test_suite<claims<Platform>, 2> {
  crew_of<Platform> crew;
  member_of<Platform> m;
  rl::var<int> uses;

  void before() {
    crew.enlist(m);
    uses($) = 0;
  }
  void thread(unsigned) {
    if (!crew.begin_run(m)) return;
    uses($) = uses($) + 1;
    crew.end_run(m);
  }
};

// --- The beat: when its holder goes away with a job, another member that wants work takes it:
// `minded`.

template <class Platform>
struct beat_changes_hands : rl::test_suite<beat_changes_hands<Platform>, 3> {
  crew_of<Platform> crew;
  member_of<Platform> owners[2], members[2];
  job jobs[2];
  basic_parker<relacy_platform> asked_parker;
  relacy_word<int> asked{0}, given{0};

  // Asks for a job at each turn in which it holds the beat, and only then sleeps with a timeout.
  struct asking_idler : idler<Platform> {
    beat_changes_hands& suite;
    void sleep() {
      const bool beater = this->crew.holds_beat(this->self);
      if (beater) {
        suite.asked.store_seq_cst(suite.given.load_seq_cst() + 1);
        suite.asked_parker.notify();
      }
      this->crew.rest(this->self, beater ? 1 : forever_ns, [] { return false; });
    }
  };

  void before() {
    for (auto& m : owners) crew.enlist(m);
    for (auto& m : members) crew.enlist(m);
  }

  void thread(unsigned index) {
    if (index == 0) {
      for (int i = 0; i < 2; ++i) {
        for (;;) {
          asked_parker.prepare();
          if (asked.load_seq_cst() > i) break;
          asked_parker.sleep(forever_ns);
        }
        asked_parker.cancel();
        jobs[i].argument($) = i;
        crew.offer(owners[i], jobs[i]);
        given.add_seq_cst(1);
      }
    } else {
      // Each takes one job and goes, so the second job is only offered if the beat was passed on.
      asking_idler i{{crew, members[index - 1], nullptr}, *this};
      job* j = crew.find_work(members[index - 1], i);
      RL_ASSERT(j != nullptr);
    }
  }
};

using real = relacy_platform;
using unreleased = platform_without_release;
using unordered = platform_without_seq_cst_store;

TEST(heartbeat_parker_model, no_notification_is_lost) { EXPECT_TRUE(holds<parking<real>>()); }
TEST(heartbeat_parker_model, needs_seq_cst) { EXPECT_TRUE(breaks<parking<unordered>>()); }

TEST(heartbeat_crew_model, last_entry_is_taken_once) { EXPECT_TRUE(holds<last_entry<real>>()); }
TEST(heartbeat_crew_model, last_entry_needs_release) {
  EXPECT_TRUE(breaks<last_entry<unreleased>>());
}

TEST(heartbeat_crew_model, one_sleeper_hears_every_offer) {
  EXPECT_TRUE((holds<sleep_and_wake<real, 1>>()));
}
TEST(heartbeat_crew_model, two_sleepers_hear_every_offer) {
  EXPECT_TRUE((holds<sleep_and_wake<real, 2>>()));
}
TEST(heartbeat_crew_model, offers_need_seq_cst) {
  EXPECT_TRUE((breaks<sleep_and_wake<unordered, 1>>()));
}

TEST(heartbeat_crew_model, a_searcher_passes_its_duty_on) {
  EXPECT_TRUE(holds<duty_is_passed_on<real>>(200'000));
}

TEST(heartbeat_crew_model, joiners_help_and_are_woken) {
  EXPECT_TRUE((holds<joiners<real, true>>()));
}

TEST(heartbeat_crew_model, joiners_that_just_wait_pass_offers_on) {
  EXPECT_TRUE((holds<joiners<real, false>>()));
}

TEST(heartbeat_crew_model, a_run_wakes_the_dozer) { EXPECT_TRUE(holds<doze_and_run<real>>()); }
TEST(heartbeat_crew_model, dozing_needs_seq_cst) { EXPECT_TRUE(breaks<doze_and_run<unordered>>()); }

TEST(heartbeat_crew_model, one_run_at_a_time_in_a_member) { EXPECT_TRUE(holds<claims<real>>()); }
TEST(heartbeat_crew_model, claims_need_release) { EXPECT_TRUE(breaks<claims<unreleased>>()); }

TEST(heartbeat_crew_model, the_beat_changes_hands) {
  EXPECT_TRUE(holds<beat_changes_hands<real>>());
}

}  // namespace
