// What a user of the installed library writes.
#include <bb/heartbeat/heartbeat.hpp>
#include <cstdint>
#include <cstdio>

std::uint64_t fib(heartbeat::context c, unsigned n) {
  if (n < 2) return n;
  return heartbeat::fork_join(
      c, [n](heartbeat::context c) { return fib(c, n - 1); },
      [n](heartbeat::context c) { return fib(c, n - 2); },
      [](std::uint64_t l, std::uint64_t r) { return l + r; });
}

int main() {
  heartbeat::pool pool{{.workers = 2}};
  const std::uint64_t result = pool.run([](heartbeat::context c) { return fib(c, 25); });
  std::printf("fib(25) = %llu\n", static_cast<unsigned long long>(result));
  return result == 75025 ? 0 : 1;
}
