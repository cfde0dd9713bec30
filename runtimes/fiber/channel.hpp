#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/wait_queue.hpp"
#include "runtimes/fiber/error.hpp"

namespace fiber {

namespace detail {

// What a channel knows of its sides; the values lie in channel<T>.
class channel_gate {
 public:
  explicit channel_gate(std::size_t capacity);

  // Waits for room and keeps the lock; false (without the lock) if closed or the deadline passed. After writing to
  // the slot: sent(), which releases the lock.
  bool begin_send(std::int64_t deadline_ns) noexcept;
  void sent() noexcept;
  bool begin_receive(std::int64_t deadline_ns) noexcept;
  void received() noexcept;
  void close() noexcept;
  bool closed() noexcept;

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t send_index() const noexcept { return (first_ + used_) % capacity_; }
  std::size_t receive_index() const noexcept { return first_; }

 private:
  spinlock guard_;
  std::size_t capacity_;
  std::size_t first_ = 0;
  std::size_t used_ = 0;
  bool closed_ = false;
  wait_queue senders_;
  wait_queue receivers_;
};

}  // namespace detail

// A bounded queue of values between any number of senders and receivers. The buffer is allocated once, at
// construction. T is moved under a spin lock, so its move should be short and must not throw.
template <class T>
class channel {
 public:
  // Throws fiber::error if `capacity` is 0.
  explicit channel(std::size_t capacity)
      : gate_(capacity), slots_(std::make_unique<std::optional<T>[]>(capacity)) {}

  // Waits while full. False if the channel is closed, or the deadline passed; then `value` was not taken.
  bool send(T&& value, std::int64_t deadline_ns = no_deadline) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    if (!gate_.begin_send(deadline_ns)) return false;
    slots_[gate_.send_index()].emplace(std::move(value));
    gate_.sent();
    return true;
  }
  bool send(const T& value, std::int64_t deadline_ns = no_deadline) {
    return send(T(value), deadline_ns);
  }

  // Waits while empty. Nothing if the channel is closed and empty, or the deadline passed; closed() tells which.
  std::optional<T> receive(std::int64_t deadline_ns = no_deadline) noexcept {
    if (!gate_.begin_receive(deadline_ns)) return std::nullopt;
    std::optional<T> value = std::move(slots_[gate_.receive_index()]);
    slots_[gate_.receive_index()].reset();
    gate_.received();
    return value;
  }

  // No more sends; what is inside can still be received. Wakes all who wait.
  void close() noexcept { gate_.close(); }
  bool closed() noexcept { return gate_.closed(); }

 private:
  detail::channel_gate gate_;
  std::unique_ptr<std::optional<T>[]> slots_;
};

}  // namespace fiber
