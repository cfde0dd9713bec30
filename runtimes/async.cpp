// async: std::async for every fork, a warning to the reader. libstdc++ starts a thread for each call, so a fork costs
// tens of microseconds, and a deep or wide tree needs more threads than a machine has. It is here because it is what
// the standard library offers by that name. There are no workers: every thread may run on all PUs of the cell.

#include <atomic>
#include <future>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "harness/error.hpp"
#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

/// Threads alive at once. A machine that is short of threads fails others too, so the row gives up long before.
class thread_count {
 public:
  static constexpr unsigned most = 4096;

  thread_count() {
    if (alive_.fetch_add(1, std::memory_order_relaxed) < most) return;  // relaxed: only the number
    alive_.fetch_sub(1, std::memory_order_relaxed);                     // relaxed: as above
    throw cannot_finish(
        "std::async would need more than 4096 threads at once; an arm with a cutoff needs fewer");
  }
  ~thread_count() { alive_.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: as above
  thread_count(const thread_count&) = delete;
  thread_count& operator=(const thread_count&) = delete;

 private:
  static inline std::atomic<unsigned> alive_{0};
};

struct async_rt {
  static constexpr std::string_view id = "async";
  static constexpr std::string_view summary = "std::async, a thread per fork: a warning";
  static constexpr bool ours = false;
  static constexpr bool may_not_finish = true;
  static constexpr arm_spec arms[] = {
      {"cutoff", "subtrees of at most N operations run serially", "N", "10000,1000000"}};
  static std::string version() { return "std::async(std::launch::async), libstdc++"; }

  struct ctx {
    std::uint64_t cutoff;
  };

  /// Takes every seat once by a thread that ends at once: the threads of the forks inherit this thread's mask, which is
  /// that of the whole cell, so this thread must not bind itself.
  explicit async_rt(const config& c) : cutoff_(c.arm.number("cutoff", 0)) {
    std::vector<std::jthread> guests;
    std::atomic<unsigned> seated{0};
    for (unsigned worker = 0; worker < c.threads; ++worker)
      guests.emplace_back([&c, &seated, worker] {
        c.sit(worker);
        seated.fetch_add(1, std::memory_order_relaxed);  // relaxed: joined before anything is read
        while (seated.load(std::memory_order_relaxed) < c.threads)  // relaxed: only waits, for
          std::this_thread::yield();                                // thread numbers to be distinct
      });
  }

  template <class F>
  auto run(F&& f) {
    return f(ctx{cutoff_});
  }

  static std::uint64_t cutoff(ctx c) { return c.cutoff; }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    const thread_count one_more;
    auto b = start([&right, c] { return right(c); });
    auto a = left(c);
    return combine(std::move(a), b.get());
  }

 private:
  template <class F>
  static auto start(F&& f) try {
    return std::async(std::launch::async, std::forward<F>(f));
  } catch (const std::system_error& refusal) {
    throw cannot_finish(std::string("std::async got no more threads: ") + refusal.what());
  }

  std::uint64_t cutoff_;
};

}  // namespace
}  // namespace bb

BB_ROW(async, bb::async_rt)
