// Exceptions and suspensions in every mixture. silk.md part 6, fault 2: the C++ runtime keeps its state per thread.
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

namespace {

fiber::options without_stealing(std::size_t workers) {
  fiber::options options = with_workers(workers);
  options.stealing = false;
  return options;
}

std::string current_text() {
  try {
    throw;
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

// Suspends in every way that a fiber can.
void suspend(int round) {
  switch (round % 3) {
    case 0:
      fiber::yield();
      break;
    case 1:
      fiber::sleep_for(1'000);
      break;
    default:
      fiber::move_to_worker((fiber::this_worker_index() + 1) % 2);
  }
}

std::string catch_suspend_rethrow(const std::string& text, int rounds) {
  try {
    try {
      throw std::runtime_error(text);
    } catch (...) {
      for (int i = 0; i < rounds; ++i) {
        suspend(i);
        if (current_text() != text) return "a foreign exception: " + current_text();
      }
      throw;
    }
  } catch (const std::runtime_error& failure) {
    return failure.what();
  }
}

TEST(FiberException, HandlersOfManyFibersInterleave) {
  fiber::scheduler pool(without_stealing(2));
  pool.run([] {
    auto a = fiber::spawn([] { return catch_suspend_rethrow("a", 50); });
    auto b = fiber::spawn([] { return catch_suspend_rethrow("b", 51); });
    auto c = fiber::spawn([] { return catch_suspend_rethrow("c", 52); });
    EXPECT_EQ(a.get(), "a");
    EXPECT_EQ(b.get(), "b");
    EXPECT_EQ(c.get(), "c");
    EXPECT_EQ(std::current_exception(), nullptr);
  });
}

struct suspends_while_unwinding {
  int* uncaught_during;
  int* uncaught_elsewhere;
  ~suspends_while_unwinding() {
    auto other = fiber::spawn([this] { *uncaught_elsewhere = std::uncaught_exceptions(); });
    for (int i = 0; i < 6; ++i) suspend(i);
    other.get();
    *uncaught_during = std::uncaught_exceptions();
  }
};

TEST(FiberException, ADestructorMaySuspendWhileTheStackUnwinds) {
  fiber::scheduler pool(without_stealing(2));
  int during = -1;
  int elsewhere = -1;
  const std::string caught = pool.run([&]() -> std::string {
    try {
      const suspends_while_unwinding guard{&during, &elsewhere};
      throw std::runtime_error("thrown");
    } catch (const std::runtime_error& failure) {
      return failure.what();
    }
  });
  EXPECT_EQ(caught, "thrown");
  EXPECT_EQ(during, 1);     // its own exception is still in flight
  EXPECT_EQ(elsewhere, 0);  // and nobody else sees it
}

TEST(FiberException, NestedHandlersSurviveMigration) {
  fiber::scheduler pool(without_stealing(2));
  const std::string seen = pool.run([] {
    std::string order;
    try {
      throw std::runtime_error("outer");
    } catch (...) {
      fiber::move_to_worker(1);
      try {
        throw std::runtime_error("inner");
      } catch (...) {
        fiber::move_to_worker(0);
        order += current_text();
      }
      fiber::move_to_worker(1);
      order += current_text();
    }
    return order;
  });
  EXPECT_EQ(seen, "innerouter");
}

TEST(FiberException, AnExceptionTravelsBetweenFibersAsAPointer) {
  fiber::scheduler pool(without_stealing(2));
  pool.run([] {
    fiber::future<int> answer;
    auto thrower = fiber::spawn([&] {
      fiber::move_to_worker(1);
      try {
        throw std::out_of_range("far away");
      } catch (...) {
        answer.set_exception(std::current_exception());
      }
    });
    EXPECT_THROW(answer.get(), std::out_of_range);
  });
}

// An exception must not leave a fiber that nobody waits for; std::terminate is the clean end.
TEST(FiberExceptionDeathTest, LeavingADetachedFiberTerminates) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto leave = [] {
    fiber::scheduler pool(with_workers(1));
    pool.launch([] { throw std::runtime_error("left the fiber"); });
  };
  EXPECT_DEATH(leave(), "left the fiber|terminate");
}

}  // namespace
