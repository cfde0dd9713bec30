#pragma once
// Shared by the stress tests of the fiber runtime: a seed that is printed and can be given, and a watchdog.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "runtimes/fiber/fiber.hpp"

// BB_SEED=n repeats a run as far as timing allows; without it each run has another seed.
inline std::uint64_t stress_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("BB_SEED");
    const std::uint64_t chosen =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("seed: BB_SEED=%llu\n", static_cast<unsigned long long>(chosen));
    return chosen;
  }();
  return seed;
}

// Rounds, fewer where every access is checked.
inline int stress_rounds(int rounds) {
#if defined(BB_FIBER_TSAN) || defined(BB_FIBER_ASAN)
  return rounds / 10 + 1;
#else
  return rounds;
#endif
}

// Ends the program with a sentence if the test hangs: that is what a lost wake-up looks like.
class watchdog {
 public:
  explicit watchdog(std::chrono::seconds limit) : thread_([this, limit] { watch(limit); }) {}
  ~watchdog() {
    {
      const std::lock_guard hold(guard_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void watch(std::chrono::seconds limit) {
    std::unique_lock hold(guard_);
    if (changed_.wait_for(hold, limit, [this] { return over_; })) return;
    std::fprintf(stderr, "hangs for %lld s (BB_SEED=%llu): a wake-up was lost\n",
                 static_cast<long long>(limit.count()),
                 static_cast<unsigned long long>(stress_seed()));
    std::abort();
  }

  std::mutex guard_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// Workers that share the processors there are, unpinned: the kernel's preemption adds interleavings.
inline fiber::options stress_options(std::size_t workers, std::int64_t spin_ns) {
  fiber::options options;
  options.cpus.assign(workers, 0);
  options.bind = [](std::uint32_t) {};
  options.places.assign(workers, fiber::cpu_place{});
  options.spin_ns = spin_ns;
  return options;
}
