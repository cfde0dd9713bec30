#pragma once
#include "runtimes/fiber/waitable.hpp"

namespace fiber {

// A flag to wait for. set() wakes all waiters, and later ones do not wait until reset().
// Waiting and deadlines: see waitable. Not to be reset and destroyed while set() runs.
class event : public waitable {
 public:
  void set() noexcept { set_done(); }
  void reset() noexcept { set_undone(); }
};

}  // namespace fiber
