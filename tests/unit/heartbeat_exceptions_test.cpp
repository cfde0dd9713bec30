// Exceptions: the first in serial order wins, what has begun ends first, nothing dangles.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "runtimes/heartbeat/heartbeat.hpp"

using heartbeat::context;
using heartbeat::fork_join;

namespace {

struct counted {
  explicit counted(std::atomic<int>& alive) : alive(alive) { ++alive; }
  counted(counted&& other) noexcept : alive(other.alive) { ++alive; }
  ~counted() { --alive; }
  std::atomic<int>& alive;
};

void spin_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

template <class Run>
std::string message_of(Run run) {
  try {
    run();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing thrown";
}

// Not promoted, promoted and taken back: one worker, without and with a beat at every fork.
class heartbeat_exceptions : public testing::TestWithParam<bool> {
 protected:
  heartbeat::pool pool{{.workers = 1, .beat_always = GetParam()}};
};

TEST_P(heartbeat_exceptions, left_throws_and_right_never_runs) {
  bool ran = false;
  EXPECT_EQ(message_of([&] {
              pool.run([&](context c) {
                fork_join(
                    c, [](context) { throw std::runtime_error("left"); },
                    [&](context) { ran = true; });
              });
            }),
            "left");
  EXPECT_FALSE(ran);
}

TEST_P(heartbeat_exceptions, right_throws_and_the_left_result_is_destroyed) {
  std::atomic<int> alive{0};
  EXPECT_EQ(message_of([&] {
              pool.run([&](context c) {
                fork_join(
                    c, [&](context) { return counted(alive); },
                    [](context) -> int { throw std::runtime_error("right"); },
                    [](const counted&, int) {});
              });
            }),
            "right");
  EXPECT_EQ(alive, 0);
}

TEST_P(heartbeat_exceptions, combine_throws) {
  EXPECT_EQ(message_of([&] {
              pool.run([](context c) {
                fork_join(
                    c, [](context) { return 1; }, [](context) { return 2; },
                    [](int, int) { throw std::runtime_error("combine"); });
              });
            }),
            "combine");
}

TEST_P(heartbeat_exceptions, the_worker_is_as_before) {
  pool.run([](context c) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(message_of([&] {
                  fork_join(
                      c,
                      [](context c) {
                        fork_join(
                            c, [](context) {},
                            [](context c) {
                              fork_join(
                                  c, [](context) { throw std::runtime_error("deep"); },
                                  [](context) {});
                            });
                      },
                      [](context) {});
                }),
                "deep");
      EXPECT_EQ(fork_join(
                    c, [](context) { return 1; }, [](context) { return 2; }, std::plus<>()),
                3);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(promotion, heartbeat_exceptions, testing::Bool(), [](const auto& info) {
  return info.param ? "promoted_and_taken_back" : "local";
});

// The right branch is surely in another thread, and still running, when the left one throws.
TEST(heartbeat_exceptions_stolen, left_throws_and_the_running_sibling_ends_first) {
  heartbeat::pool pool{{.workers = 2, .beat_always = true}};
  std::atomic<bool> begun{false}, left_over{false};
  std::atomic<int> alive{0};
  bool ended = false;
  const auto right = [&](context) {
    begun = true;
    spin_until(left_over);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ended = true;
    return counted(alive);
  };
  EXPECT_EQ(message_of([&] {
              pool.run([&](context c) {
                fork_join(
                    c,
                    [&](context) {
                      spin_until(begun);
                      left_over = true;
                      throw std::runtime_error("left");
                    },
                    right);
              });
            }),
            "left");
  EXPECT_TRUE(ended);
  EXPECT_EQ(alive, 0);
}

TEST(heartbeat_exceptions_stolen, right_throws) {
  heartbeat::pool pool{{.workers = 2, .beat_always = true}};
  std::atomic<bool> begun{false};
  std::atomic<int> alive{0};
  EXPECT_EQ(message_of([&] {
              pool.run([&](context c) {
                fork_join(
                    c, [&](context) { return spin_until(begun), counted(alive); },
                    [&](context) {
                      begun = true;
                      throw std::runtime_error("right");
                    },
                    [](counted) {});
              });
            }),
            "right");
  EXPECT_EQ(alive, 0);
}

// The right exception is first in time, the left one first in serial order.
TEST(heartbeat_exceptions_stolen, both_throw_and_the_left_one_wins) {
  heartbeat::pool pool{{.workers = 2, .beat_always = true}};
  std::atomic<bool> begun{false};
  EXPECT_EQ(message_of([&] {
              pool.run([&](context c) {
                fork_join(
                    c,
                    [&](context) {
                      spin_until(begun);
                      std::this_thread::sleep_for(std::chrono::milliseconds(5));
                      throw std::runtime_error("left");
                    },
                    [&](context) {
                      begun = true;
                      throw std::runtime_error("right");
                    });
              });
            }),
            "left");
}

TEST(heartbeat_exceptions_stolen, of_any_type_and_size_of_result) {
  heartbeat::pool pool{{.workers = 2, .beat_always = true}};
  std::atomic<bool> begun{false};
  struct large {
    char room[500];
  };
  EXPECT_THROW(pool.run([&](context c) {
    fork_join(
        c, [&](context) { spin_until(begun); },
        [&](context) -> large {
          begun = true;
          throw 42;
        });
  }),
               int);
}

TEST(heartbeat_exceptions_stolen, run_throws_what_the_task_throws) {
  heartbeat::pool pool{{.workers = 2}};
  EXPECT_EQ(message_of([&] { pool.run([](context) { throw std::runtime_error("task"); }); }),
            "task");
  EXPECT_EQ(pool.run([](context) { return 5; }), 5);
}

TEST(heartbeat_exceptions_nothrow, noexcept_branches_make_a_noexcept_join) {
  constexpr auto nothrow = [](context) noexcept { return 1; };
  constexpr auto may_throw = [](context) { return 1; };
  using heartbeat::detail::join_promoted;
  static_assert(std::is_nothrow_invocable_v<decltype(nothrow), context>);
  static_assert(noexcept(join_promoted<int, true>(nullptr)));
  static_assert(!noexcept(join_promoted<int, false>(nullptr)));
  heartbeat::pool pool{{.workers = 1, .beat_always = true}};
  EXPECT_EQ(pool.run([&](context c) { return fork_join(c, nothrow, nothrow, std::plus<>()); }), 2);
  EXPECT_EQ(pool.run([&](context c) { return fork_join(c, nothrow, may_throw, std::plus<>()); }),
            2);
}

}  // namespace
