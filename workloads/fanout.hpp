#pragma once
// fanout: a flat lot of tiny tasks. Wide and shallow is where a heartbeat scheduler, which gives away one piece per
// beat, is expected to lose (github.com/NthTensor/Forte, issue 37). The lot is halved down to single tasks, since
// fork/join is all that these runtimes share; a native body may use what its runtime has for flat lots.

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/in_turn.hpp"
#include "harness/workload.hpp"

namespace bb {

struct fanout {
  static constexpr std::string_view id = "fanout";
  static constexpr std::string_view summary = "a flat lot of tiny tasks";
  static constexpr std::string_view operation = "task";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {param_spec{.name = "tasks",
                                                       .help = "tasks of one run",
                                                       .smoke = "1,100",
                                                       .full = "100,10K,1M",
                                                       .max = 100'000'000},
                                            entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) { return static_cast<double>(v.number("tasks")); }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values&) { return false; }

  struct input {
    std::uint64_t tasks;
    explicit input(const values& v) : tasks(static_cast<std::uint64_t>(v.number("tasks"))) {}
  };

  /// One task: a handful of instructions whose result depends on its number.
  static result task(std::uint64_t number) {
    const std::uint64_t h = number * 0x9e3779b97f4a7c15;
    return h ^ (h >> 29);
  }

  static result expect(const input& in) {
    result sum = 0;
    for (std::uint64_t i = 0; i < in.tasks; ++i) sum += task(i);
    return sum;
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return range<R>(c, 0, in.tasks);
  }

 private:
  template <ForkJoin R>
  static result range(typename R::ctx c, std::uint64_t first, std::uint64_t count) {
    if (count == 1) return task(first);
    if (below_cutoff<R>(c, count)) return range<in_turn>({}, first, count);
    const std::uint64_t left = count / 2;
    return R::fork_join(
        c, [=](typename R::ctx d) { return range<R>(d, first, left); },
        [=](typename R::ctx d) { return range<R>(d, first + left, count - left); },
        [](result a, result b) { return a + b; });
  }
};
static_assert(Workload<fanout>);

}  // namespace bb
