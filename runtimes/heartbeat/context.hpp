// Context: what a task gets to fork with. One pointer, passed by value; see entry.hpp.
#pragma once
#include "worker.hpp"

namespace heartbeat {

class pool;

namespace detail {
struct context_access;
}

// The place of a task in its worker. Every branch gets a context of its own as its argument and
// must use that one: the context of an outer task, captured, is out of date (a debug build says
// so). Never store it beyond the task.
class context {
 public:
  // To be called now and then, say every few microseconds, by long stretches of work that do not
  // fork: without it nothing that was forked before can be shared until the stretch is over. Costs
  // one compare.
  [[gnu::always_inline]] void tick() const noexcept {
    if (tail_ > detail::worker_of(tail_)->limit.load_relaxed())
        [[unlikely]] {  // relaxed: carries no data
      detail::worker_of(tail_)->poll(tail_);
    }
  }

 private:
  friend detail::context_access;
  explicit context(detail::entry* tail) noexcept : tail_(tail) {}
  detail::entry* tail_;
};

namespace detail {

struct context_access {
  static context make(entry* tail) noexcept { return context{tail}; }
  static entry* tail(context c) noexcept { return c.tail_; }
};

}  // namespace detail
}  // namespace heartbeat
