// The context switch on aarch64, for an emulator without a test framework. Exit 0: good.
#include <execinfo.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "runtimes/fiber/detail/strand.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"

namespace fiber::detail {
class worker {};
extern "C" {
__thread worker* bb_fiber_this_worker = nullptr;
}
}  // namespace fiber::detail

namespace {

using fiber::detail::make_context;
using fiber::detail::strand;
using fiber::detail::switch_strand;

int failures = 0;
strand test;
strand other;
alignas(16) char stack[256 * 1024];
int steps = 0;
void* frames[64];
int frame_count = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

// Twelve values of each kind live over every switch.
template <class Number>
Number mix(Number seed, strand* from, strand* to) {
  Number a = seed, b = seed * 3, c = seed + 7, d = seed * 5, e = seed + 11, f = seed * 13;
  Number g = seed + 17, h = seed * 19, i = seed + 23, j = seed * 29, k = seed + 31, l = seed * 37;
  for (int round = 0; round < 50; ++round) {
    if (from != nullptr) switch_strand(*from, *to);
    a += b, c += d, e += f, g += h, i += j, k += l;
  }
  return a + c + e + g + i + k + b + d + f + h + j + l;
}

void run(void (*body)()) {
  static void (*wanted)();
  wanted = body;
  other.ctx = make_context(
      stack + sizeof stack,
      [](void*) noexcept {
        wanted();
        for (;;) switch_strand(other, test);
      },
      nullptr);
  switch_strand(test, other);
}

void alternates() {
  run([] {
    for (;; ++steps) switch_strand(other, test);
  });
  for (int i = 1; i <= 100; ++i) {
    switch_strand(test, other);
    expect(steps == i, "steps");
  }
}

void keeps_registers() {
  run([] { mix<std::uint64_t>(1000, &other, &test); });
  expect(mix<std::uint64_t>(2, &test, &other) == mix<std::uint64_t>(2, nullptr, nullptr),
         "integer registers");
  run([] { mix<double>(1000, &other, &test); });
  expect(mix<double>(2, &test, &other) == mix<double>(2, nullptr, nullptr),
         "floating-point registers");
}

void catches_exceptions() {
  static bool caught = false;
  run([] {
    try {
      throw std::runtime_error("inside");
    } catch (const std::runtime_error& failure) {
      caught = std::strcmp(failure.what(), "inside") == 0;
    }
  });
  expect(caught, "an exception inside");
}

void unwinds_to_the_entry() {
  run([] { frame_count = ::backtrace(frames, 64); });
  const auto entry =
      reinterpret_cast<std::uintptr_t>(make_context(stack + 64, nullptr, nullptr).pc);
  const auto last = reinterpret_cast<std::uintptr_t>(frames[frame_count - 1]);
  expect(frame_count >= 2 && frame_count < 10, "depth of the backtrace");
  expect(last > entry && last < entry + 64, "last frame of the backtrace");
}

void finds_its_worker() {
  fiber::detail::worker one;
  expect(fiber::detail::this_worker() == nullptr, "no worker at first");
  fiber::detail::bb_fiber_this_worker = &one;
  expect(fiber::detail::this_worker() == &one, "the worker that was set");
}

}  // namespace

int main() {
  alternates();
  keeps_registers();
  catches_exceptions();
  unwinds_to_the_entry();
  finds_its_worker();
  return failures == 0 ? 0 : 1;
}
