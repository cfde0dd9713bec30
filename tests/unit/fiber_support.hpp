#pragma once
// Shared by the tests of the fiber runtime.
#include <cstddef>
#include <cstdint>

#include "runtimes/fiber/fiber.hpp"

// Workers that are not pinned, so that tests with many run on machines with few processors.
inline fiber::options with_workers(std::size_t count) {
  fiber::options options;
  options.cpus.assign(count, 0);
  options.bind = [](std::uint32_t) {};
  options.places.assign(count, fiber::cpu_place{});
  return options;
}

inline void spin_for(std::int64_t duration_ns) {
  const std::int64_t end = fiber::deadline_in(duration_ns);
  while (fiber::now_ns() < end) {
  }
}
