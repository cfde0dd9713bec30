// static: one split per thread, decided before anything runs. No balancing and no decisions on the way, so for work
// that divides evenly it is the upper bound of what any scheduler can reach on that machine and memory.

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

/// N-1 threads with a one-job mailbox each.
///   full: false = empty, true = a job or the order to stop waits. Set by whoever splits, cleared by the thread.
class mailboxes {
 public:
  struct box {
    alignas(128) std::atomic<bool> full{false};
    void (*call)(void*) = nullptr;
    void* argument = nullptr;
    std::thread thread;
  };

  explicit mailboxes(const config& c) : boxes_(c.threads) {
    c.sit(0);
    std::atomic<unsigned> seated{1};
    try {
      for (unsigned i = 1; i < c.threads; ++i)
        boxes_[i].thread = std::thread([this, &c, &seated, i] {
          c.sit(i);
          // ORDER(static.seated) release: the seat is recorded before the constructor returns. pairs: acquire below.
          seated.fetch_add(1, std::memory_order_release);
          serve(boxes_[i]);
        });
    } catch (const std::system_error& fault) {
      stop();
      throw std::runtime_error(std::string("cannot start so many threads: ") + fault.what() +
                               " (see ulimit -u)");
    }
    // ORDER(static.seated) acquire: pairs with the release in each thread; without it a seat may be half-written.
    while (seated.load(std::memory_order_acquire) != c.threads) std::this_thread::yield();
  }
  ~mailboxes() { stop(); }

  unsigned size() const { return static_cast<unsigned>(boxes_.size()); }

  void post(unsigned to, void (*call)(void*), void* argument) {
    boxes_[to].call = call;
    boxes_[to].argument = argument;
    // ORDER(static.post) release: the job is written before the box is seen full. pairs: acquire in serve().
    boxes_[to].full.store(true, std::memory_order_release);
    boxes_[to].full.notify_one();
  }

 private:
  void stop() {
    for (unsigned i = 1; i < boxes_.size(); ++i)
      if (boxes_[i].thread.joinable()) post(i, nullptr, nullptr);
    for (auto& b : boxes_)
      if (b.thread.joinable()) b.thread.join();
  }

  static void serve(box& b) {
    for (;;) {
      // ORDER(static.post) acquire: pairs with post(); without it a stale job would run.
      b.full.wait(false, std::memory_order_acquire);
      if (b.call == nullptr) return;
      auto* call = b.call;
      void* argument = b.argument;
      b.full.store(
          false,
          std::
              memory_order_relaxed);  // relaxed: the poster waits for the job's `done`, not for this
      call(argument);
    }
  }

  std::vector<box> boxes_;
};

struct static_rt {
  static constexpr std::string_view id = "static";
  static constexpr std::string_view summary =
      "one split per thread, decided beforehand: the upper bound";
  static constexpr bool ours = false;
  static std::string version() { return "std::thread, one mailbox per thread"; }

  /// The threads [first, first + count) are this branch's to split over.
  struct ctx {
    mailboxes* boxes;
    unsigned first, count;
  };

  explicit static_rt(const config& c) : boxes_(std::make_unique<mailboxes>(c)) {}

  template <class F>
  auto run(F&& f) {
    return f(ctx{boxes_.get(), 0, boxes_->size()});
  }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    if (c.count <= 1) {
      auto a = left(c);
      return combine(std::move(a), right(c));
    }
    return split(c, left, right, combine);
  }

 private:
  template <class L, class R, class C>
  static auto split(ctx c, L& left, R& right, C& combine) {
    const unsigned half = c.count / 2;
    struct job {
      R& right;
      ctx c;
      decltype(right(c)) result;
      std::atomic<bool> done{false};
    } j{right, {c.boxes, c.first + c.count - half, half}, {}};
    c.boxes->post(
        j.c.first,
        [](void* p) {
          auto& mine = *static_cast<job*>(p);
          mine.result = mine.right(mine.c);
          // ORDER(static.done) release: the result is written before done is seen. pairs: acquire in split().
          mine.done.store(true, std::memory_order_release);
          mine.done.notify_one();
        },
        &j);
    auto a = left({c.boxes, c.first, c.count - half});
    // ORDER(static.done) acquire: pairs with the release in the job; without it a stale result would be combined.
    j.done.wait(false, std::memory_order_acquire);
    return combine(std::move(a), std::move(j.result));
  }

  std::unique_ptr<mailboxes> boxes_;
};

}  // namespace

template <>
struct native<tree, static_rt> {
  /// Forks until each thread has its part, then the plain recursion.
  static tree::result sum(static_rt::ctx c, const tree::node* t) {
    if (c.count <= 1 || t->left == nullptr || t->right == nullptr) return tree::serial(t);
    return static_rt::fork_join(
        c, [t](static_rt::ctx d) { return sum(d, t->left); },
        [t](static_rt::ctx d) { return sum(d, t->right); },
        [t](tree::result a, tree::result b) { return t->value + a + b; });
  }
  static tree::result run(static_rt::ctx c, const tree::input& in) { return sum(c, in.root()); }
};

}  // namespace bb

BB_ROW(static, bb::static_rt)
