// Pool: a crew of threads, and the way into it.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

#include "context.hpp"
#include "options.hpp"

namespace heartbeat {

// Threads: run() may be called by any number of threads at once, and by tasks of this or of another
// pool. Everything else by one thread at a time. The pool must outlive its runs. Idle: a pool
// without a run uses no CPU time at all. The first run after a while wakes one thread, which looks
// on for some milliseconds whether there is something to share; a run that is over within
// `beat_interval_ns` wakes no other.
class pool {
 public:
  // Throws std::invalid_argument for bad options, std::system_error if a thread cannot be started
  // or there is no memory.
  explicit pool(options o = {});
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Calls task(context) in this thread, as a worker of the pool, and returns its result or throws
  // its exception. Costs some 10 ns. Called by a task, the inner run shares its forks as any other
  // does.
  template <class Task>
  decltype(auto) run(Task&& task) {
    static_assert(std::is_invocable_v<Task, context>,
                  "a task must be callable with a heartbeat::context by value: "
                  "[&](heartbeat::context c) { ... }");
    const visit v(*team_);
    return std::forward<Task>(task)(detail::context_access::make(v.w.begin));
  }

  unsigned workers() const noexcept;

 private:
  struct visit {
    explicit visit(detail::team& t) : t(t), w(enter(t)) {}
    ~visit() { leave(t, w); }
    visit(const visit&) = delete;
    detail::team& t;
    detail::worker& w;
  };
  static detail::worker& enter(detail::team& t);
  static void leave(detail::team& t, detail::worker& w) noexcept;

  std::unique_ptr<detail::team> team_;
};

}  // namespace heartbeat
