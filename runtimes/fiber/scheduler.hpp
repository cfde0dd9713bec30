#pragma once
// scheduler: a set of workers, each pinned to one processor, that run fibers. A process may have several.
//
//   fiber::scheduler pool;                                  // one worker per processor
//   int n = pool.run([] { return serve(); });               // runs it in a fiber, waits for the result
//
// Rules
//  * Construction throws fiber::error with one sentence if the machine refuses (no io_uring, a processor outside the
//    cpuset, no address space). Starting a fiber throws it if all stacks are in use.
//  * The destructor waits until all fibers have ended.
//  * A fiber runs until it suspends; nothing preempts it. It may go on on another worker afterwards, so it must not
//    keep the address of a thread_local over a suspension (values are fine; take errno at once).
//  * Fibers have `options.stack_bytes` of stack. A function object of any size up to half of that is moved onto it.
#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "runtimes/fiber/counters.hpp"
#include "runtimes/fiber/error.hpp"
#include "runtimes/fiber/options.hpp"
#include "runtimes/fiber/task.hpp"

namespace fiber {

class scheduler {
 public:
  explicit scheduler(const options& wanted = {});
  ~scheduler();

  // Runs `body()` in a fiber and waits for it: the result, or the exception that left it. From threads and fibers.
  template <class Body>
  auto run(Body&& body) {
    return task<std::invoke_result_t<std::decay_t<Body>&>>(*core_, std::forward<Body>(body)).get();
  }

  // Starts `body()` in a fiber; the task is the handle to wait for it, and does so when destroyed.
  template <class Body>
  auto spawn(Body&& body) {
    return task<std::invoke_result_t<std::decay_t<Body>&>>(*core_, std::forward<Body>(body));
  }

  // Starts `body()` without a handle. An exception that leaves it ends the process.
  template <class Body>
  void launch(Body&& body) {
    detail::launch(*core_, detail::make_fiber(*core_, std::forward<Body>(body)));
  }

  // As launch, on worker `index`, which it never leaves.
  template <class Body>
  void launch_on(std::uint32_t index, Body&& body) {
    detail::launch_on(*core_, index, detail::make_fiber(*core_, std::forward<Body>(body)));
  }

  std::uint32_t workers() const noexcept;
  counters totals() const noexcept;
  // What protects the stacks: never `automatic`.
  stack_guard guard() const noexcept;

  // Registers descriptors (or buffers) with every ring under the same indexes, so that they are valid wherever a
  // fiber runs. Once per scheduler; 0 or a negative errno. From plain threads.
  int register_files(std::span<const int> descriptors);
  int register_buffers(std::span<const iovec> buffers);

 private:
  std::unique_ptr<detail::core> core_;
};

}  // namespace fiber
