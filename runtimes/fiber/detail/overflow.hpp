#pragma once
// overflow_report: turns a write into a guard page into one sentence that names the fiber, before the process dies.
//
// The handler runs on a sigaltstack per worker thread (the fiber's own stack is full); a stack that is already there,
// for example AddressSanitizer's, is kept. Faults elsewhere go on to the handler that was installed before.
#include <cstddef>

namespace fiber::detail {

class stack_pool;

// Watches the stacks of one pool while it lives. Installs the handler once per process.
class overflow_report {
 public:
  overflow_report(const stack_pool& pool, bool enabled) noexcept;
  ~overflow_report();
  overflow_report(const overflow_report&) = delete;
  overflow_report& operator=(const overflow_report&) = delete;

 private:
  const stack_pool* pool_;
};

// The alternate signal stack of one worker thread; made and destroyed on that thread.
class signal_stack {
 public:
  explicit signal_stack(bool enabled) noexcept;
  ~signal_stack();
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

 private:
  void* base_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace fiber::detail
