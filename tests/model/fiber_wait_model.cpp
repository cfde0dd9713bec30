// wait_word under relacy: a waiter is fired by set(), or has taken its node back, never both and never neither.
#include "runtimes/fiber/detail/wait_word.hpp"

#include "tests/model/fiber_relacy.hpp"

namespace {

using word = fiber::detail::basic_wait_word<model_atomic>;
using fiber::detail::wait_node;

struct set_against_waiters : rl::test_suite<set_against_waiters, 3> {
  word happened;
  model_plain<int> value;
  wait_node nodes[2];
  model_plain<int> added[2];
  model_plain<int> removed[2];
  int fired[2];

  void before() {
    value($) = 0;
    for (int i = 0; i < 2; ++i) {
      nodes[i] = {};
      added[i]($) = 0;
      removed[i]($) = 0;
      fired[i] = 0;
    }
  }
  void thread(unsigned index) {
    if (index == 2) {
      value($) = 7;
      for (wait_node* each = happened.set(); each != nullptr; each = each->next)
        ++fired[each - nodes];
      return;
    }
    if (!happened.add(nodes[index])) {
      RL_ASSERT(value($) == 7);
      return;
    }
    added[index]($) = 1;
    if (index == 0)
      removed[index]($) = happened.remove(nodes[index]) ? 1 : 0;  // its deadline passed
  }
  void after() {
    RL_ASSERT(happened.is_set());
    for (int i = 0; i < 2; ++i) RL_ASSERT(fired[i] == added[i]($) - removed[i]($));
  }
};

struct removals_at_once : rl::test_suite<removals_at_once, 3> {
  word happened;
  wait_node nodes[3];

  void before() {
    for (wait_node& each : nodes) {
      each = {};
      RL_ASSERT(happened.add(each));
    }
  }
  void thread(unsigned index) { RL_ASSERT(happened.remove(nodes[index])); }
  void after() { RL_ASSERT(happened.set() == nullptr); }
};

TEST(FiberWaitModel, SetAgainstWaiters) { explore<set_against_waiters>(); }
TEST(FiberWaitModel, RemovalsAtOnce) { explore<removals_at_once>(); }

}  // namespace
