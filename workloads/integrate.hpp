#pragma once
// integrate: the area below (x^2 + 1) x from 0 to 100 by halving intervals until halving changes the area by less than
// 10^-digits (after Cilk's example of that name). Adaptive, so the tree of forks is uneven and not known beforehand:
// there is no cut-off; the arms that set one run the naive form.

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/primitives.hpp"
#include "harness/workload.hpp"

namespace bb {

struct integrate {
  static constexpr std::string_view id = "integrate";
  static constexpr std::string_view summary =
      "adaptive integration, a fork at every halved interval";
  static constexpr std::string_view operation = "interval";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {param_spec{.name = "digits",
                                                       .help = "halve while it changes 10^-digits",
                                                       .smoke = "0",
                                                       .full = "9",
                                                       .min = 0,
                                                       .max = 12},
                                            entry_parameter};

  /// The intervals are counted, since one lost among a million would not show in the area.
  struct result {
    double area = 0;
    std::uint64_t intervals = 0;
    bool operator==(const result& o) const {
      return intervals == o.intervals && std::abs(area - o.area) <= 1e-4 * std::abs(o.area);
    }
  };

  static double operations(const values& v) {
    return static_cast<double>(count_intervals(input(v).change));
  }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values&) { return 0; }
  static bool large(const values& v) { return v.number("digits") > 10; }

  struct input {
    double change;
    explicit input(const values& v)
        : change(std::pow(10, -static_cast<double>(v.number("digits")))) {}
  };

  /// The area by the antiderivative; the intervals by a list instead of a recursion.
  static result expect(const input& in) {
    return {end * end * end * end / 4 + end * end / 2, count_intervals(in.change)};
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    return halve<R>(c, whole(), in.change);
  }

 private:
  static constexpr double end = 100;
  static double f(double x) { return (x * x + 1) * x; }

  /// An interval and the function at its ends.
  struct interval {
    double x1, x2, y1, y2;
    double area() const { return (y1 + y2) / 2 * (x2 - x1); }
    interval left() const { return {x1, middle(), y1, f(middle())}; }
    interval right() const { return {middle(), x2, f(middle()), y2}; }
    double middle() const { return x1 + (x2 - x1) / 2; }
  };
  static interval whole() { return {0, end, f(0), f(end)}; }
  static bool settled(const interval& i, double change) {
    return std::abs(i.left().area() + i.right().area() - i.area()) < change;
  }

  static std::uint64_t count_intervals(double change) {
    std::uint64_t n = 0;
    for (std::vector<interval> open{whole()}; !open.empty();) {
      const interval i = open.back();
      open.pop_back();
      if (settled(i, change)) {
        ++n;
        continue;
      }
      open.push_back(i.left());
      open.push_back(i.right());
    }
    return n;
  }

  template <ForkJoin R>
  static result halve(typename R::ctx c, interval i, double change) {
    const interval l = i.left(), r = i.right();
    if (settled(i, change)) return {l.area() + r.area(), 1};
    return R::fork_join(
        c, [l, change](typename R::ctx d) { return halve<R>(d, l, change); },
        [r, change](typename R::ctx d) { return halve<R>(d, r, change); },
        [](const result& a, const result& b) {
          return result{a.area + b.area, a.intervals + b.intervals};
        });
  }
};
static_assert(Workload<integrate>);

}  // namespace bb
