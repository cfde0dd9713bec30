// tbb: oneTBB's work stealing, a task_group per fork. Naive (a task at every fork) by default, since that is what the
// other fork/join rows do; `cutoff=N` is the documented way to use it on fine grain.
//
// Settings: one task_arena of as many slots as threads and a global_control of the same number (else TBB would ask for
// the machine's), all workers started and pinned before anything is timed.

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/version.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

/// Seats each thread of the arena once. TBB's slot numbers are reused and start anywhere, so seats are counted here.
class seater : public tbb::task_scheduler_observer {
 public:
  seater(tbb::task_arena& arena, const config& c) : task_scheduler_observer(arena), config_(c) {
    observe(true);
  }
  ~seater() override { observe(false); }

  void on_scheduler_entry(bool) override {
    thread_local bool seated = false;
    if (!seated)
      config_.sit(
          next_.fetch_add(1, std::memory_order_relaxed));  // relaxed: only the number matters
    seated = true;
  }
  unsigned seated() const {
    return next_.load(std::memory_order_relaxed);
  }  // relaxed: polled until it is reached

 private:
  const config& config_;
  std::atomic<unsigned> next_{0};
};

struct tbb_rt {
  static constexpr std::string_view id = "tbb";
  static constexpr std::string_view summary = "oneTBB work stealing, a task_group per fork";
  static constexpr bool ours = false;
  static constexpr arm_spec arms[] = {
      {"cutoff", "subtrees of at most N operations run serially", "N", "1000,10000"}};
  static std::string version() {
    return std::string("oneTBB ") + TBB_runtime_version() + ", task_group, one task_arena";
  }

  struct ctx {
    std::uint64_t cutoff;
  };

  explicit tbb_rt(const config& c)
      : limit_(tbb::global_control::max_allowed_parallelism, c.threads),
        arena_(static_cast<int>(c.threads)),
        cutoff_(c.arm.number("cutoff", 0)) {
    seater observer(arena_, c);
    start_all(observer, c.threads);
  }

  template <class F>
  auto run(F&& f) {
    return arena_.execute([&] { return f(ctx{cutoff_}); });
  }

  static std::uint64_t cutoff(ctx c) { return c.cutoff; }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    tbb::task_group group;
    decltype(right(c)) b;
    group.run([&b, &right, c] { b = right(c); });
    auto a = left(c);
    group.wait();
    return combine(std::move(a), std::move(b));
  }

 private:
  // TBB starts workers when there is work and gives a slot only to a thread that looks for it: hold every one of
  // them in a task until all are there. The bound keeps a TBB that refuses threads from hanging; the seats then tell.
  void start_all(const seater& observer, unsigned threads) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const auto wait = [&] {
      while (observer.seated() < threads && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
    };
    arena_.execute([&] {
      tbb::task_group group;
      for (unsigned i = 1; i < threads; ++i) group.run(wait);
      wait();
      group.wait();
    });
  }

  tbb::global_control limit_;
  tbb::task_arena arena_;
  std::uint64_t cutoff_;
};

}  // namespace
}  // namespace bb

BB_ROW(tbb, bb::tbb_rt)
