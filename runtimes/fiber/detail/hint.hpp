#pragma once
// hint: a value that says where looking is worth while, or what happened, and orders nothing. Whoever acts on one
// checks again by a proper protocol, so all accesses are relaxed.
#include <atomic>

namespace fiber::detail {

template <class T>
class hint {
 public:
  constexpr hint(T value = {}) noexcept : value_(value) {}

  // relaxed, all: see above
  T get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(T value) noexcept { value_.store(value, std::memory_order_relaxed); }
  // relaxed: see above
  T swap(T value) noexcept { return value_.exchange(value, std::memory_order_relaxed); }
  void add(T by) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
  // relaxed: see above
  void subtract(T by) noexcept { value_.fetch_sub(by, std::memory_order_relaxed); }
  // For a single writer: no locked instruction.
  void bump(T by = 1) noexcept { set(get() + by); }

 private:
  std::atomic<T> value_;
};

}  // namespace fiber::detail
