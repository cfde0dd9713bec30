// Misuse is named by the assertions in the headers. They are on in this file whatever the build
// type.
#undef NDEBUG
#include <gtest/gtest.h>

#include <thread>

#include "runtimes/heartbeat/heartbeat.hpp"

using heartbeat::context;
using heartbeat::fork_join;

namespace {

TEST(heartbeat_misuse_death, context_of_an_outer_task) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(heartbeat::pool({.workers = 1}).run([](context outer) {
    fork_join(
        outer,
        [outer](context) {
          fork_join(
              outer, [](context) {}, [](context) {});
        },
        [](context) {});
  }),
               "context of an outer task is used; use the context that the branch gets");
}

TEST(heartbeat_misuse_death, context_on_another_thread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(heartbeat::pool({.workers = 1}).run([](context c) {
    std::thread([c] {
      fork_join(
          c, [](context) {}, [](context) {});
    }).join();
  }),
               "context is used on another thread than its own");
}

TEST(heartbeat_misuse, right_use_is_silent) {
  heartbeat::pool pool{{.workers = 2, .beat_always = true}};
  const int sum = pool.run([](context c) {
    const int a = fork_join(
        c,
        [](context c) {
          return fork_join(
              c, [](context) { return 1; }, [](context) { return 2; }, std::plus<>());
        },
        [](context c) {
          return fork_join(
              c, [](context) { return 3; }, [](context) { return 4; }, std::plus<>());
        },
        std::plus<>());
    try {
      fork_join(
          c,
          [](context c) {
            fork_join(
                c, [](context) { throw 1; }, [](context) {});
          },
          [](context) {});
    } catch (int) {
    }
    return a + fork_join(
                   c, [](context) { return 5; }, [](context) { return 6; }, std::plus<>());
  });
  EXPECT_EQ(sum, 21);
}

}  // namespace
