// threads: a plain pool, one queue of jobs under one mutex, as many a program has. A warning to the reader: every fork
// and every join takes the lock. Joiners run queued jobs while they wait, newest first, since a pool whose joiners only
// wait stands still as soon as all of them do.

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

/// Any thread may push and take; jobs live on the stacks of those who wait for them.
class job_pool {
 public:
  struct job {
    void (*call)(job&);
    std::atomic<bool> done{false};

    void finish() {
      // ORDER(threads.done) release: the result is written before done is seen. pairs: acquire in wait_for().
      done.store(true, std::memory_order_release);
      done.notify_one();
    }
  };

  explicit job_pool(const config& c) {
    c.sit(0);
    std::atomic<unsigned> seated{1};
    for (unsigned i = 1; i < c.threads; ++i)
      threads_.emplace_back([this, &c, &seated, i] {
        c.sit(i);
        // ORDER(threads.seated) release: the seat is recorded before the constructor returns. pairs: acquire below.
        seated.fetch_add(1, std::memory_order_release);
        serve();
      });
    // ORDER(threads.seated) acquire: pairs with the release in each thread; without it a seat may be half-written.
    while (seated.load(std::memory_order_acquire) != c.threads) std::this_thread::yield();
  }
  ~job_pool() {
    stop_.store(true, std::memory_order_relaxed);  // relaxed: the bump of pushes_ publishes it
    announce();
    pushes_.notify_all();
  }

  void push(job& j) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&j);
    }
    announce();
  }

  /// A joiner that helps may nest in jobs whose joins help in turn, without bound (rayon-rs/rayon#854 is one of many
  /// reports); from this depth on a thread forks no more, so that what it still has to join is all there is.
  static bool deep() { return helping > 200; }

  void wait_for(job& mine) {
    // ORDER(threads.done) acquire: pairs with finish(); without it a stale result would be combined.
    while (!mine.done.load(std::memory_order_acquire)) {
      if (job* other = take(true)) {
        ++helping;
        other->call(*other);
        --helping;
      } else {
        // ORDER(threads.done) acquire: as above.
        mine.done.wait(false, std::memory_order_acquire);
      }
    }
  }

 private:
  void announce() {
    // ORDER(threads.push) release: stop_ is set before the number is seen. pairs: acquire in serve().
    pushes_.fetch_add(1, std::memory_order_release);
    pushes_.notify_one();
  }
  job* take(bool newest) {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return nullptr;
    job* j = newest ? queue_.back() : queue_.front();
    newest ? queue_.pop_back() : queue_.pop_front();
    return j;
  }
  void serve() {
    for (;;) {
      // ORDER(threads.push) acquire: pairs with announce(), and is read before the queue: a job pushed after a look at
      // the empty queue has changed the number, so the wait returns. Without it an idle thread would miss the stop.
      const unsigned seen = pushes_.load(std::memory_order_acquire);
      if (stop_.load(std::memory_order_relaxed)) return;  // relaxed: published by pushes_
      if (job* j = take(false))
        j->call(*j);
      else
        // ORDER(threads.push) acquire: as above.
        pushes_.wait(seen, std::memory_order_acquire);
    }
  }

  static thread_local unsigned helping;

  std::mutex mutex_;
  std::deque<job*> queue_;  // guarded by mutex_
  std::atomic<unsigned> pushes_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

thread_local unsigned job_pool::helping = 0;

struct threads_rt {
  static constexpr std::string_view id = "threads";
  static constexpr std::string_view summary = "a plain thread pool, one locked queue: a warning";
  static constexpr bool ours = false;
  static constexpr bool may_not_finish = true;
  static constexpr arm_spec arms[] = {
      {"cutoff", "subtrees of at most N operations run serially", "N", "1000,10000"}};
  static std::string version() { return "std::thread, std::mutex, std::deque, libstdc++"; }

  struct ctx {
    job_pool* pool;
    std::uint64_t cutoff;
  };

  explicit threads_rt(const config& c)
      : pool_(std::make_unique<job_pool>(c)), cutoff_(c.arm.number("cutoff", 0)) {}

  template <class F>
  auto run(F&& f) {
    return f(ctx{pool_.get(), cutoff_});
  }

  static std::uint64_t cutoff(ctx c) { return c.cutoff; }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    struct branch : job_pool::job {
      R& right;
      ctx c;
      decltype(right(c)) result{};
      branch(R& r, ctx d)
          : job{[](job& j) {
              auto& mine = static_cast<branch&>(j);
              mine.result = mine.right(mine.c);
              mine.finish();
            }},
            right(r),
            c(d) {}
    } b(right, c);
    if (job_pool::deep()) {
      auto a = left(c);
      return combine(std::move(a), right(c));
    }
    c.pool->push(b);
    auto a = left(c);
    c.pool->wait_for(b);
    return combine(std::move(a), std::move(b.result));
  }

 private:
  std::unique_ptr<job_pool> pool_;
  std::uint64_t cutoff_;
};

}  // namespace
}  // namespace bb

BB_ROW(threads, bb::threads_rt)
