#pragma once
// parker: one sleep of one fiber or plain thread. The contract is that of park_word.hpp.
//
//  threads    made and parked by the sleeper; fired by anybody.
//  lifetime   on the sleeper's stack. fire() is the last touch, except that for a plain thread the kernel is told to
//             wake whoever sleeps on that address: if the frame is gone by then, some later sleeper on the same
//             address wakes early, which every futex user must bear.
#include <cstdint>

#include "runtimes/fiber/clock.hpp"
#include "runtimes/fiber/detail/park_word.hpp"

namespace fiber::detail {

struct control_block;
struct sleep_node;
class worker;

class parker {
 public:
  parker() noexcept;  // for the caller, fiber or thread
  parker(const parker&) = delete;
  parker& operator=(const parker&) = delete;

  // Sleeps until `fires` calls of fire() were made since construction (true) or the deadline has passed (false).
  bool park(std::uint32_t fires = 1, std::int64_t deadline_ns = no_deadline) noexcept;
  void fire() noexcept;

 private:
  struct request;
  bool suspend_fiber(std::uint32_t fires, std::int64_t deadline_ns) noexcept;
  bool suspend_thread(std::uint32_t fires, std::int64_t deadline_ns) noexcept;

  basic_park_word<> word_;
  control_block* fiber_;
};

// Any thread: `block` has been taken off its parked word by the caller.
void make_runnable(control_block& block) noexcept;

// The owner took `node` out of its sleep tree because its time has come.
void deadline_passed(worker& here, sleep_node& node) noexcept;

}  // namespace fiber::detail
