// The steal slot under relacy: each fiber that an owner sets aside runs once, with its memory as the owner left it.
#include "runtimes/fiber/detail/steal_slot.hpp"

#include "tests/model/fiber_relacy.hpp"

namespace {

struct item {
  item* next = nullptr;
  model_plain<int> content;
  model_plain<int> runs;
};

using slot_of_items = fiber::detail::steal_slot<item, model_atomic>;

// The owner fills the slot twice and takes back what nobody took; two thieves.
struct share_against_steal : rl::test_suite<share_against_steal, 3> {
  slot_of_items slot;
  item items[2];

  void before() {
    for (item& each : items) each.runs($) = 0;
  }
  static void run(item* chain) {
    for (; chain != nullptr; chain = chain->next) {
      RL_ASSERT(chain->content($) == 1);
      chain->runs($) += 1;
    }
  }
  void thread(unsigned index) {
    if (index != 0) {
      run(slot.take());
      return;
    }
    for (item& each : items) {
      each.content($) = 1;
      if (!slot.put(&each)) run(&each);  // still full: the owner runs it itself
    }
    run(slot.take());
  }
  void after() {
    for (item& each : items) RL_ASSERT(each.runs($) == 1);
  }
};

// The same item in the slot again and again while a thief is between its look and its exchange: no ABA, because the
// slot is taken whole.
struct same_item_again : rl::test_suite<same_item_again, 2> {
  slot_of_items slot;
  item one;
  model_atomic<int> runs;

  void thread(unsigned index) {
    if (index == 1) {
      if (item* got = slot.take()) {
        RL_ASSERT(got->content($) >= 1);
        runs.fetch_add(1, std::memory_order_relaxed);
      }
      return;
    }
    for (int round = 1; round <= 2; ++round) {
      one.content($) = round;
      RL_ASSERT(slot.put(&one));
      if (slot.take() == nullptr) return;  // stolen: it is no longer ours
    }
    runs.fetch_add(1, std::memory_order_relaxed);
  }
  void after() { RL_ASSERT(runs.load(std::memory_order_relaxed) == 1); }
};

TEST(FiberStealModel, ShareAgainstSteal) { explore<share_against_steal>(); }
TEST(FiberStealModel, SameItemAgain) { explore<same_item_again>(); }

}  // namespace
