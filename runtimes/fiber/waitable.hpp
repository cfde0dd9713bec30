#pragma once
// waitable: something that happens once (or, for an event, until it is reset), and waiting for one, any or all of
// them.
//
// All functions may be called from fibers, which suspend, and from plain threads, which sleep on a futex. Deadlines
// are points of now_ns().
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/wait_word.hpp"

namespace fiber {

class waitable {
 public:
  waitable() = default;
  waitable(const waitable&) = delete;
  waitable& operator=(const waitable&) = delete;

  bool done() const noexcept { return word_.is_set(); }
  // Returns once done. It may then be destroyed, even while the setter is still waking others.
  void wait() noexcept { wait_until(no_deadline); }
  // False if the deadline passed first.
  bool wait_until(std::int64_t deadline_ns) noexcept;

 protected:
  ~waitable() = default;
  // The last touch of this object, unless the caller keeps it alive.
  void set_done() noexcept;
  void set_undone() noexcept { word_.reset(); }

 private:
  friend class wait_set;
  detail::basic_wait_word<> word_;
};

// At most this many in one call; each costs 16 bytes of stack.
inline constexpr std::size_t most_waitables = 1024;
inline constexpr std::size_t none_done = static_cast<std::size_t>(-1);

// Index of one that is done, the first in order if several are; none_done if the deadline passed first.
std::size_t wait_any(std::span<waitable* const> what,
                     std::int64_t deadline_ns = no_deadline) noexcept;

// True if all are done, false if the deadline passed first.
bool wait_all(std::span<waitable* const> what, std::int64_t deadline_ns = no_deadline) noexcept;

}  // namespace fiber
