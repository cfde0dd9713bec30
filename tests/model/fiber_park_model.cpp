// park_word under relacy: a sleeper is never lost, resumed twice, or resumed with stale memory.
#include "runtimes/fiber/detail/park_word.hpp"

#include "tests/model/fiber_relacy.hpp"

namespace {

using word = fiber::detail::basic_park_word<model_atomic>;

// The sleeper saves its context and parks; the firer writes its data and fires. Exactly one of them must resume the
// sleeper, and that one sees both.
struct park_against_fire : rl::test_suite<park_against_fire, 2> {
  word parked;
  model_plain<int> context;
  model_plain<int> data;
  model_plain<int> resumed_by_sleeper;
  model_plain<int> resumed_by_firer;

  void before() {
    context($) = 0;
    data($) = 0;
    resumed_by_sleeper($) = 0;
    resumed_by_firer($) = 0;
  }
  void thread(unsigned index) {
    if (index == 0) {
      context($) = 1;
      if (!parked.publish(1)) {
        resumed_by_sleeper($) = 1;
        RL_ASSERT(data($) == 1);
      }
    } else {
      data($) = 1;
      if (parked.fire()) {
        resumed_by_firer($) = 1;
        RL_ASSERT(context($) == 1);
      }
    }
  }
  void after() { RL_ASSERT(resumed_by_sleeper($) + resumed_by_firer($) == 1); }
};

// A deadline and a fire at the same time: one resumes, not both, not none.
struct fire_against_deadline : rl::test_suite<fire_against_deadline, 3> {
  word parked;
  model_plain<int> context;
  model_atomic<int> resumed;

  void before() { context($) = 0; }
  void resume() { resumed.fetch_add(1, std::memory_order_relaxed); }
  void thread(unsigned index) {
    if (index == 0) {
      context($) = 1;
      if (!parked.publish(1)) resume();
    } else if (index == 1) {
      if (parked.fire()) {
        RL_ASSERT(context($) == 1);
        resume();
      }
    } else if (parked.expire()) {
      RL_ASSERT(context($) == 1);
      resume();
    }
  }
  // A deadline that comes before the park does nothing; the fire then resumes.
  void after() { RL_ASSERT(resumed.load(std::memory_order_relaxed) == 1); }
};

// wait_all: the sleeper goes on only after both fires, whoever is last.
struct two_fires : rl::test_suite<two_fires, 3> {
  word parked;
  model_plain<int> data[2];
  model_atomic<int> done;

  void before() {
    data[0]($) = 0;
    data[1]($) = 0;
  }
  void go_on() {
    // As parker::park: check, and park again if it was too early.
    if (!parked.fired(2) && parked.publish(2)) return;
    RL_ASSERT(data[0]($) + data[1]($) == 2);
    done.fetch_add(1, std::memory_order_relaxed);
  }
  void thread(unsigned index) {
    if (index == 0) {
      if (!parked.publish(2)) go_on();
    } else {
      data[index - 1]($) = 1;
      if (parked.fire()) go_on();
    }
  }
  void after() { RL_ASSERT(done.load(std::memory_order_relaxed) == 1); }
};

TEST(FiberParkModel, ParkAgainstFire) { explore<park_against_fire>(); }
TEST(FiberParkModel, FireAgainstDeadline) { explore<fire_against_deadline>(); }
TEST(FiberParkModel, TwoFires) { explore<two_fires>(); }

}  // namespace
