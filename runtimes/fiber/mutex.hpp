#pragma once
// Locks that suspend the fiber instead of blocking its thread. They meet the standard's Lockable requirements, so
// std::lock_guard, std::unique_lock, std::shared_lock and std::scoped_lock work. They are handed over in order of
// arrival, may be unlocked on another worker than they were locked on, are not recursive, and may be destroyed by the
// next owner as soon as it has them.
#include <cstdint>
#include <mutex>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/wait_queue.hpp"

namespace fiber {

class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;

 private:
  detail::spinlock guard_;
  bool held_ = false;
  detail::wait_queue waiters_;
};

// Many readers or one writer. A reader that comes while a writer waits queues behind it, so writers do not starve.
class shared_mutex {
 public:
  shared_mutex() = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;
  void lock_shared() noexcept;
  bool try_lock_shared() noexcept;
  void unlock_shared() noexcept;

 private:
  // Lets in whoever may enter now; returns them as a chain to fire. Under guard_.
  detail::queue_node* admit() noexcept;

  detail::spinlock guard_;
  std::uint32_t readers_ = 0;
  bool writer_ = false;
  detail::wait_queue waiters_;
};

class condition {
 public:
  condition() = default;
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  void notify_one() noexcept;
  void notify_all() noexcept;

  // Releases the lock, sleeps until notified, takes the lock again.
  void wait(std::unique_lock<mutex>& held) noexcept { wait_until(held, no_deadline); }
  // False if the deadline passed before a notification.
  bool wait_until(std::unique_lock<mutex>& held, std::int64_t deadline_ns) noexcept;

  template <class Predicate>
  void wait(std::unique_lock<mutex>& held, Predicate holds) {
    while (!holds()) wait(held);
  }
  // The last value of the predicate.
  template <class Predicate>
  bool wait_until(std::unique_lock<mutex>& held, std::int64_t deadline_ns, Predicate holds) {
    while (!holds()) {
      if (!wait_until(held, deadline_ns)) return holds();
    }
    return true;
  }

 private:
  detail::spinlock guard_;
  detail::wait_queue waiters_;
};

}  // namespace fiber
