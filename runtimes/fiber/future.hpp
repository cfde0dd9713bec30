#pragma once
#include <exception>
#include <optional>
#include <utility>

#include "runtimes/fiber/waitable.hpp"

namespace fiber {

// A value that comes later, set once by anybody, awaited by anybody. May be destroyed as soon as it is done, even
// while set() is still waking other waiters, so it may live on the stack of who waits.
template <class T>
class future : public waitable {
 public:
  // Precondition: not set before.
  void set(T value) {
    value_.emplace(std::move(value));
    set_done();
  }
  void set_exception(std::exception_ptr failure) noexcept {
    failure_ = std::move(failure);
    set_done();
  }

  // Waits; the value by reference, or the exception.
  T& get() {
    wait();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return *value_;
  }

 private:
  std::optional<T> value_;
  std::exception_ptr failure_;
};

}  // namespace fiber
