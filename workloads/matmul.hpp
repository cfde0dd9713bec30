#pragma once
// matmul: C = A B of square matrices by divide and conquer, halving the largest of the three extents until a block fits
// into the first cache (Frigo et al., "Cache-oblivious algorithms", FOCS 1999). Halves of rows or columns fork; halves
// of the sum run one after the other. Coarse leaves of regular work: scheduling should cost nothing here.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/in_turn.hpp"
#include "harness/workload.hpp"

namespace bb {

struct matmul {
  static constexpr std::string_view id = "matmul";
  static constexpr std::string_view summary = "matrix product by divide and conquer";
  static constexpr std::string_view operation = "multiply-add";
  static constexpr std::string_view needs = "fork/join";
  static constexpr std::array parameters = {param_spec{.name = "order",
                                                       .help = "rows and columns of each matrix",
                                                       .smoke = "1,70",
                                                       .full = "512",
                                                       .max = 8192},
                                            entry_parameter};

  using result = std::uint64_t;
  static double operations(const values& v) {
    const auto n = static_cast<double>(v.number("order"));
    return n * n * n;
  }
  static double bytes_per_operation(const values&) { return 0; }
  static double memory_bytes(const values& v) {
    const auto n = static_cast<double>(v.number("order"));
    return 3 * n * n * sizeof(double);
  }
  static bool large(const values& v) { return v.number("order") > 2000; }

  /// Elements are small whole numbers, so that every sum is exact in whatever order it is taken.
  struct input {
    std::size_t order;
    std::vector<double> a, b;
    mutable std::vector<double> product;  // written by the runs; each trial has a copy of its own

    explicit input(const values& v)
        : order(static_cast<std::size_t>(v.number("order"))),
          a(order * order),
          b(order * order),
          product(order * order) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<double>(i * 7 % 11);
        b[i] = static_cast<double>(i * 5 % 13);
      }
    }
  };

  /// The sum over C of row weight x element x column weight. It is (weights A)(B weights), so the oracle needs no
  /// product of matrices.
  static result expect(const input& in) {
    result sum = 0;
    for (std::size_t k = 0; k < in.order; ++k) {
      result from_rows = 0, to_columns = 0;
      for (std::size_t i = 0; i < in.order; ++i) {
        from_rows += row_weight(i) * whole(in.a[i * in.order + k]);
        to_columns += whole(in.b[k * in.order + i]) * column_weight(i);
      }
      sum += from_rows * to_columns;
    }
    return sum;
  }

  template <ForkJoin R>
  static result run(typename R::ctx c, const input& in) {
    const auto n = static_cast<std::uint32_t>(in.order);
    multiply<R>(c, {in.a.data(), in.b.data(), in.product.data(), n, n, n, n, false});
    return weigh(in);
  }

 private:
  static result row_weight(std::size_t i) { return i + 1; }
  static result column_weight(std::size_t j) { return 2 * j + 1; }
  static result whole(double x) { return static_cast<result>(x); }

  /// One look at each element, order times cheaper than the product.
  static result weigh(const input& in) {
    result sum = 0;
    for (std::size_t i = 0; i < in.order; ++i) {
      result row = 0;
      for (std::size_t j = 0; j < in.order; ++j)
        row += whole(in.product[i * in.order + j]) * column_weight(j);
      sum += row * row_weight(i);
    }
    return sum;
  }

  /// c (m x n) = or += a (m x k) b (k x n), all with rows `stride` elements apart.
  struct block {
    const double* a;
    const double* b;
    double* c;
    std::uint32_t stride, m, n, k;
    bool add;

    block rows(std::uint32_t from, std::uint32_t count) const {
      const std::size_t skip = std::size_t{from} * stride;
      return {a + skip, b, c + skip, stride, count, n, k, add};
    }
    block columns(std::uint32_t from, std::uint32_t count) const {
      return {a, b + from, c + from, stride, m, count, k, add};
    }
    block terms(std::uint32_t from, std::uint32_t count) const {
      return {a + from, b + std::size_t{from} * stride, c, stride, m, n, count, add || from > 0};
    }
    std::uint64_t operations() const { return std::uint64_t{m} * n * k; }
  };
  static constexpr std::uint32_t leaf = 32;  // three blocks of 8 KiB

  static void multiply_leaf(const block& x) {
    for (std::uint32_t i = 0; i < x.m; ++i) {
      double* row = x.c + std::size_t{i} * x.stride;
      if (!x.add)
        for (std::uint32_t j = 0; j < x.n; ++j) row[j] = 0;
      for (std::uint32_t k = 0; k < x.k; ++k) {
        const double factor = x.a[std::size_t{i} * x.stride + k];
        const double* other = x.b + std::size_t{k} * x.stride;
        for (std::uint32_t j = 0; j < x.n; ++j) row[j] += factor * other[j];
      }
    }
  }

  /// Returns the number of leaves, since a branch has to return something.
  template <ForkJoin R>
  static std::uint64_t multiply(typename R::ctx c, block x) {
    if (x.m <= leaf && x.n <= leaf && x.k <= leaf) return multiply_leaf(x), 1;
    if (below_cutoff<R>(c, x.operations())) return multiply<in_turn>({}, x);
    if (x.k > x.m && x.k > x.n)
      return multiply<R>(c, x.terms(0, x.k / 2)) + multiply<R>(c, x.terms(x.k / 2, x.k - x.k / 2));
    if (x.m >= x.n) return both<R>(c, x.rows(0, x.m / 2), x.rows(x.m / 2, x.m - x.m / 2));
    return both<R>(c, x.columns(0, x.n / 2), x.columns(x.n / 2, x.n - x.n / 2));
  }

  template <ForkJoin R>
  static std::uint64_t both(typename R::ctx c, const block& x, const block& y) {
    return R::fork_join(
        c, [x](typename R::ctx d) { return multiply<R>(d, x); },
        [y](typename R::ctx d) { return multiply<R>(d, y); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
};
static_assert(Workload<matmul>);

}  // namespace bb
