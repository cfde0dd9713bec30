// Forced migration under full optimisation: nothing that belongs to a thread may be kept over a suspension.
// Exit 0: good.
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "runtimes/fiber/fiber.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

// In a loop, with the accessors inlined, a compiler that could keep the thread's address would move it out.
void worker_is_looked_up_anew() {
  for (std::uint32_t i = 0; i < 3'000; ++i) {
    fiber::move_to_worker(i % 3);
    expect(fiber::this_worker_index() == i % 3, "the worker after a migration");
    fiber::yield();
    expect(fiber::this_worker_index() == i % 3, "the worker after a yield");
  }
}

void exceptions_follow_the_fiber() {
  for (std::uint32_t i = 0; i < 300; ++i) {
    try {
      throw std::runtime_error(std::to_string(i));
    } catch (const std::runtime_error&) {
      fiber::move_to_worker(i % 3);
      try {
        throw;
      } catch (const std::runtime_error& failure) {
        expect(failure.what() == std::to_string(i), "the exception in flight after a migration");
      }
    }
  }
}

void operations_use_the_ring_of_the_worker() {
  int ends[2];
  expect(::pipe(ends) == 0, "pipe");
  for (std::uint32_t i = 0; i < 300; ++i) {
    fiber::move_to_worker(i % 3);
    char byte = 'x';
    expect(fiber::io::write(ends[1], &byte, 1).value == 1, "a write after a migration");
    expect(fiber::io::read(ends[0], &byte, 1).value == 1, "a read after a migration");
  }
  expect(fiber::io::close(ends[0]).value == 0 && fiber::io::close(ends[1]).value == 0, "close");
}

}  // namespace

int main() {
  fiber::options options;
  options.cpus.assign(3, 0);
  options.bind = [](std::uint32_t) {};
  options.places.assign(3, {});
  options.stealing = false;
  fiber::scheduler pool(options);
  pool.run(worker_is_looked_up_anew);
  pool.run(exceptions_follow_the_fiber);
  pool.run(operations_use_the_ring_of_the_worker);
  return failures == 0 ? 0 : 1;
}
