// The scheduler's platform under the model checker Relacy (D. Vyukov): every word is a rl::atomic,
// whose loads may return any value that the memory model allows, and every wait is a modelled
// futex. A lost wake-up is found as a deadlock.
#pragma once
#include <pthread.h>
#include <semaphore.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <relacy/relacy.hpp>
#pragma GCC diagnostic pop

// Relacy takes the names of the language for its own; the code under test must not see that.
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst

template <class T>
class relacy_word {
 public:
  relacy_word() : relacy_word(T{}) {}
  explicit relacy_word(T value) { value_.store(value, rl::mo_relaxed, $); }

  T load_relaxed() const { return value_.load(rl::mo_relaxed, $); }
  T load_acquire() const { return value_.load(rl::mo_acquire, $); }
  T load_seq_cst() const { return value_.load(rl::mo_seq_cst, $); }
  void store_relaxed(T value) { value_.store(value, rl::mo_relaxed, $); }
  void store_release(T value) { value_.store(value, rl::mo_release, $); }
  void store_seq_cst(T value) { value_.store(value, rl::mo_seq_cst, $); }
  T exchange_seq_cst(T value) { return value_.exchange(value, rl::mo_seq_cst, $); }
  T add_seq_cst(T value) { return value_.fetch_add(value, rl::mo_seq_cst, $); }
  bool replace_seq_cst(T expected, T desired) {
    return value_.compare_exchange_strong(expected, desired, rl::mo_seq_cst, $);
  }

 private:
  friend struct relacy_platform;
  rl::atomic<T> value_;
};

struct relacy_platform {
  template <class T>
  using word = relacy_word<T>;

  static void wait(word<std::int32_t>& word, std::int32_t expected, std::int64_t timeout_ns) {
    const timespec limit{};
    rl::rl_futex(&word.value_, rl::RL_FUTEX_WAIT, expected, timeout_ns < 0 ? nullptr : &limit,
                 nullptr, 0, $);
  }
  static void wake(word<std::int32_t>& word) {
    rl::rl_futex(&word.value_, rl::RL_FUTEX_WAKE, 1, nullptr, nullptr, 0, $);
  }
};

// Where a failure's history goes: fixed room, because Relacy replaces operator new and delete.
class log_room : public std::streambuf {
 public:
  log_room() { setp(room_, room_ + sizeof room_); }
  std::string_view text() const { return {pbase(), static_cast<std::size_t>(pptr() - pbase())}; }

 private:
  int_type overflow(int_type) override { return traits_type::not_eof(0); }  // the rest is dropped
  char room_[1 << 20];
};

// Runs `Suite` under Relacy's random scheduler; its seed is fixed, so a failure repeats.
// BB_MODEL_RUNS asks for more interleavings.
template <class Suite>
bool simulate(unsigned runs, log_room& log) {
  if (const char* wanted = std::getenv("BB_MODEL_RUNS")) {
    runs = static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
  }
  static log_room progress_room;
  std::ostream output(&log), progress(&progress_room);
  rl::test_params params;
  params.iteration_count = runs;
  params.execution_depth_limit = 20'000;
  params.output_stream = &output;
  params.progress_stream = &progress;
  return rl::simulate<Suite>(params);
}

// The protocol is right in all interleavings tried.
template <class Suite>
bool holds(unsigned runs = 50'000) {
  static log_room log;
  const bool ok = simulate<Suite>(runs, log);
  if (!ok) std::cout << log.text();
  return ok;
}

// Some interleaving breaks the (weakened) protocol.
template <class Suite>
bool breaks(unsigned runs = 50'000) {
  static log_room log;
  return !simulate<Suite>(runs, log);
}
