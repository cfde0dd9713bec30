// The inbox under relacy: no message is lost to a sleeping owner, and exactly one doorbell rings per sleep.
#include "runtimes/fiber/detail/inbox.hpp"

#include "tests/model/fiber_relacy.hpp"

namespace {

using inbox = fiber::detail::basic_inbox<model_atomic>;
using fiber::detail::message;

struct item : message {
  model_plain<int> content;
};

// Stands for the eventfd or MSG_RING: a count of rings that the sleeper waits for.
struct doorbell {
  model_atomic<int> rings;
  void ring() { rings.fetch_add(1, std::memory_order_release); }
  bool heard(int before) const { return rings.load(std::memory_order_acquire) > before; }
};

int taken(inbox& box) {
  int count = 0;
  for (message* each = box.take_all(); each != nullptr; each = each->next) {
    RL_ASSERT(static_cast<item*>(each)->content($) == 1);
    ++count;
  }
  return count;
}

// The owner sleeps whenever it finds nothing; two posters. If a wake-up could be lost, the owner would wait for ever,
// which relacy reports as a livelock.
struct post_against_sleep : rl::test_suite<post_against_sleep, 3> {
  inbox box;
  doorbell bell;
  item items[2];

  void thread(unsigned index) {
    if (index != 0) {
      items[index - 1].content($) = 1;
      if (box.post(items[index - 1])) bell.ring();
      return;
    }
    int rings = 0;
    for (int got = 0; got < 2;) {
      got += taken(box);
      if (got < 2 && box.try_sleep()) {
        rl::linear_backoff wait;
        while (!bell.heard(rings)) wait.yield($);
        ++rings;
        got += taken(box);
      }
    }
    RL_ASSERT(bell.rings.load(std::memory_order_relaxed) == rings);  // none without a sleep
  }
};

// wake() and post() at the same sleep: one bell.
struct wake_against_post : rl::test_suite<wake_against_post, 3> {
  inbox box;
  doorbell bell;
  item one;

  void before() { RL_ASSERT(box.try_sleep()); }
  void thread(unsigned index) {
    if (index == 0) {
      one.content($) = 1;
      if (box.post(one)) bell.ring();
    } else if (index == 1) {
      if (box.wake()) bell.ring();
    } else {
      rl::linear_backoff wait;
      while (!bell.heard(0)) wait.yield($);
    }
  }
  void after() {
    RL_ASSERT(bell.rings.load(std::memory_order_relaxed) == 1);
    RL_ASSERT(taken(box) == 1);
  }
};

// A thief and the owner: each message arrives once.
struct steal_against_take : rl::test_suite<steal_against_take, 3> {
  inbox box;
  item items[2];
  model_atomic<int> got;

  void count(message* chain) {
    for (; chain != nullptr; chain = chain->next) {
      RL_ASSERT(static_cast<item*>(chain)->content($) == 1);
      got.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void thread(unsigned index) {
    if (index == 0) {
      for (item& each : items) {
        each.content($) = 1;
        (void)box.post(each);
      }
    } else {
      count(index == 1 ? box.steal_all() : box.take_all());
    }
  }
  void after() {
    count(box.take_all());
    RL_ASSERT(got.load(std::memory_order_relaxed) == 2);
  }
};

TEST(FiberInboxModel, PostAgainstSleep) { explore<post_against_sleep>(); }
TEST(FiberInboxModel, WakeAgainstPost) { explore<wake_against_post>(); }
TEST(FiberInboxModel, StealAgainstTake) { explore<steal_against_take>(); }

}  // namespace
