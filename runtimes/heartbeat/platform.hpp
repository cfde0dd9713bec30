// The few things that the scheduler asks of the machine: atomic words, sleep and wake, a clock.
//
// The protocols (parker.hpp, crew.hpp) are templates over a platform, so that tests/model can run
// the very same code under a model checker. `os_platform` is the real one.
#pragma once
#include <atomic>
#include <cstdint>

namespace heartbeat::detail {

inline constexpr std::int64_t forever_ns = -1;

// An atomic that names the order in the operation, so that a review can grep for every order in
// use. The ORDER tags stand at the callers: an order means something only together with its
// partner.
template <class T>
class os_word {
 public:
  os_word() noexcept = default;
  explicit os_word(T value) noexcept : value_(value) {}

  T load_relaxed() const noexcept { return value_.load(std::memory_order_relaxed); }
  T load_acquire() const noexcept { return value_.load(std::memory_order_acquire); }
  T load_seq_cst() const noexcept { return value_.load(std::memory_order_seq_cst); }
  void store_relaxed(T value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void store_release(T value) noexcept { value_.store(value, std::memory_order_release); }
  void store_seq_cst(T value) noexcept { value_.store(value, std::memory_order_seq_cst); }
  T exchange_seq_cst(T value) noexcept { return value_.exchange(value, std::memory_order_seq_cst); }
  T add_seq_cst(T value) noexcept { return value_.fetch_add(value, std::memory_order_seq_cst); }
  bool replace_seq_cst(T expected, T desired) noexcept {
    return value_.compare_exchange_strong(expected, desired, std::memory_order_seq_cst);
  }

 private:
  friend struct os_platform;
  std::atomic<T> value_{};
};

struct os_platform {
  template <class T>
  using word = os_word<T>;

  // Returns when woken, after `timeout_ns` (forever_ns: never), on a signal, or at once if *word !=
  // expected.
  static void wait(word<std::int32_t>& word, std::int32_t expected,
                   std::int64_t timeout_ns) noexcept;
  static void wake(word<std::int32_t>& word) noexcept;
  static std::int64_t now_ns() noexcept;  // CLOCK_MONOTONIC

  // One turn of a spin loop.
  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }
};

}  // namespace heartbeat::detail
