#pragma once
// task: the result of a fiber. Lives where it was made (it cannot move); the fiber writes into it.
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtimes/fiber/waitable.hpp"

namespace fiber {

namespace detail {

class core;
struct control_block;

// The core whose worker runs the caller; stops a plain thread with a sentence.
core& this_core() noexcept;

// A free fiber; throws fiber::error if there is none, or if `closure_bytes` would fill half of its stack.
control_block& claim_block(core& group, std::size_t closure_bytes);
void return_block(core& group, control_block& block) noexcept;
// Where a closure of that size goes.
void* closure_place(control_block& block, std::size_t bytes, std::size_t alignment) noexcept;
// Makes the block ready to be launched.
void prepare_block(control_block& block, void* closure, void (*run)(void*)) noexcept;
void launch(core& group, control_block& block) noexcept;
void launch_on(core& group, std::uint32_t index, control_block& block);

// A new fiber that will run `body()` and destroy it. Not started yet.
template <class Body>
control_block& make_fiber(core& group, Body&& body) {
  using closure = std::decay_t<Body>;
  control_block& block = claim_block(group, sizeof(closure));
  void* place = closure_place(block, sizeof(closure), alignof(closure));
  try {
    new (place) closure(std::forward<Body>(body));
  } catch (...) {
    return_block(group, block);
    throw;
  }
  prepare_block(block, place, [](void* self) {
    auto* mine = static_cast<closure*>(self);
    std::invoke(*mine);
    mine->~closure();
  });
  return block;
}

// What a task<R> keeps of its fiber's outcome.
template <class R>
class outcome {
 public:
  template <class Body>
  void take_from(Body& body) noexcept {
    try {
      value_.emplace(std::invoke(body));
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  R release() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::move(*value_);
  }

 private:
  std::optional<R> value_;
  std::exception_ptr failure_;
};

template <>
class outcome<void> {
 public:
  template <class Body>
  void take_from(Body& body) noexcept {
    try {
      std::invoke(body);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void release() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace detail

template <class R>
class [[nodiscard]] task : public waitable {
 public:
  // Starts `body()` in a fiber of `group`.
  template <class Body>
  task(detail::core& group, Body&& body) {
    using function = std::decay_t<Body>;
    detail::launch(group,
                   detail::make_fiber(group, closure<function>{this, std::forward<Body>(body)}));
  }
  // Waits for the fiber. An exception that nobody fetched with get() is dropped.
  ~task() { wait(); }

  // Waits for the fiber; its result, once, or the exception that left it.
  R get() {
    wait();
    return outcome_.release();
  }

 private:
  template <class Function>
  struct closure {
    task* target;
    std::optional<Function> body;

    void operator()() noexcept {
      target->outcome_.take_from(*body);
      body.reset();        // before anybody is told: it may refer to the waiter's variables
      target->set_done();  // the last touch
    }
  };

  detail::outcome<R> outcome_;
};

}  // namespace fiber
