#pragma once
// Lets the runtime's own protocol headers run under relacy, which explores interleavings and weak memory orders.
// model_atomic takes the place of std::atomic in their template parameter.
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <relacy/relacy.hpp>
#pragma GCC diagnostic pop

// relacy redefines words of the language and the library, for programs written against it.
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

template <class T>
class model_atomic {
 public:
  model_atomic(T value = {}) { value_.store(value, rl::mo_relaxed, $); }

  T load(std::memory_order order) const { return value_.load(converted(order), $); }
  void store(T value, std::memory_order order) { value_.store(value, converted(order), $); }
  T exchange(T value, std::memory_order order) {
    return value_.exchange(value, converted(order), $);
  }
  T fetch_add(T value, std::memory_order order) {
    return value_.fetch_add(value, converted(order), $);
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order success,
                               std::memory_order failure) {
    return value_.compare_exchange_strong(expected, wanted, raised(success, failure), $,
                                          converted(failure), $);
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order success,
                             std::memory_order failure) {
    return value_.compare_exchange_weak(expected, wanted, raised(success, failure), $,
                                        converted(failure), $);
  }

 private:
  static rl::memory_order converted(std::memory_order order) {
    switch (order) {
      case std::memory_order_relaxed:
        return rl::mo_relaxed;
      case std::memory_order_consume:
        return rl::mo_consume;
      case std::memory_order_acquire:
        return rl::mo_acquire;
      case std::memory_order_release:
        return rl::mo_release;
      case std::memory_order_acq_rel:
        return rl::mo_acq_rel;
      default:
        return rl::mo_seq_cst;
    }
  }

  // relacy knows the rule before C++17, by which a failure's order may not be stronger than the success's; it would
  // quietly take the failure as relaxed. So the success is raised, which hides nothing that a failure must order.
  static rl::memory_order raised(std::memory_order success, std::memory_order failure) {
    if (failure != std::memory_order_acquire) return converted(success);
    return converted(success == std::memory_order_release || success == std::memory_order_acq_rel
                         ? std::memory_order_acq_rel
                         : std::memory_order_acquire);
  }

  mutable rl::atomic<T> value_;
};

// A plain variable whose races relacy reports.
template <class T>
using model_plain = rl::var<T>;

// Runs `Test` with so many random schedules; the seed is relacy's own and fixed, so a failure comes again.
template <class Test>
void explore(rl::iteration_t iterations = 100'000) {
  rl::test_params parameters;
  parameters.iteration_count = iterations;
  std::ostringstream log;
  parameters.output_stream = &log;
  parameters.progress_stream = &log;
  EXPECT_TRUE(rl::simulate<Test>(parameters)) << log.str();
}
