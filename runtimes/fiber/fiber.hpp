#pragma once
// fiber: stackful fibers on io_uring, for Linux.
//
//   #include "runtimes/fiber/fiber.hpp"
//
//   fiber::scheduler pool;
//   pool.run([] {                                            // in a fiber from here on
//     auto left = fiber::spawn([] { return fetch("a"); });   // another fiber
//     auto right = fiber::spawn([] { return fetch("b"); });
//     use(left.get(), right.get());                          // suspends this fiber until they are done
//   });
//
// More: scheduler.hpp (workers, starting fibers), io.hpp (files and sockets), sync.hpp (mutex, channel, ...),
// waitable.hpp (wait for any or all, with a deadline). The design is in DESIGN.md, its source is ClickHouse's Silk
// (J. Cunningham and V. Skipin, 2026).
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/execution.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/io.hpp"
#include "runtimes/fiber/scheduler.hpp"
#include "runtimes/fiber/sync.hpp"
#include "runtimes/fiber/task.hpp"

namespace fiber {

// Starts `body()` in a new fiber of the caller's scheduler, on the caller's worker; it may be stolen. From fibers.
template <class Body>
auto spawn(Body&& body) {
  return task<std::invoke_result_t<std::decay_t<Body>&>>(detail::this_core(),
                                                         std::forward<Body>(body));
}

// Lets all other runnable fibers of this worker run first. In a plain thread: sched_yield.
inline void yield() noexcept;

// Suspends the caller; returns no earlier. In a plain thread: sleeps.
void sleep_until(std::int64_t deadline_ns) noexcept;
inline void sleep_for(std::int64_t duration_ns) noexcept { sleep_until(deadline_in(duration_ns)); }

// True in a fiber, false in a plain thread.
inline bool in_fiber() noexcept { return detail::this_worker() != nullptr; }

// Of the calling fiber; precondition: in_fiber().
std::uint32_t this_fiber_id() noexcept;      // index of its stack; used again after its end
std::uint32_t this_worker_index() noexcept;  // may change at each suspension
// Goes on on worker `index` of the same scheduler, at the end of its queue. Operations of the fiber must have
// completed.
void move_to_worker(std::uint32_t index) noexcept;
void name_this_fiber(
    const char* name) noexcept;  // for debuggers and the overflow report; the text must stay

// --- implementation

namespace detail {
void yield_thread() noexcept;
}

[[gnu::always_inline]] inline void yield() noexcept {
  // worker derives from execution as its first base; the cast needs no definition of worker here.
  auto* here = reinterpret_cast<detail::execution*>(detail::this_worker());
  if (here == nullptr) [[unlikely]] {
    detail::yield_thread();
    return;
  }
  here->yield();
}

}  // namespace fiber
