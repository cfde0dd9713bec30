#pragma once
// Makes a row: one runtime over all workloads, compiled as one translation unit. BB_ROW(name, R) ends each adapter.
//
// From here on cells are type-erased, at the grain of a batch (>= 1 ms), never of an operation.

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/cell_body.hpp"
#include "harness/module.hpp"
#include "harness/primitives.hpp"
#include "harness/workload.hpp"

namespace bb {

/// Specialise in runtimes/NAME.cpp to give runtime R its own idiomatic body for workload W; it is shown beside, never
/// instead of, the generic one:
///   static W::result run(R& runtime, typename R::ctx, const W::input&);
template <class W, class R>
struct native {};

template <class W, class R>
concept NativeBody = requires(typename R::ctx c, const typename W::input& in) {
  { native<W, R>::run(c, in) } -> std::same_as<typename W::result>;
};

template <class W, class R>
concept GenericBody = requires(typename R::ctx c, const typename W::input& in) {
  { W::template run<R>(c, in) } -> std::same_as<typename W::result>;
};

/// A runtime whose code is a module: a shared library of its own that only its trials load (harness/module.hpp).
/// R::module(arm) names it, and is called just before it is loaded, in the trial: the place to set environment
/// variables that the library reads when it starts.
template <class R>
concept InModule = requires(const arm_values& arm) {
  { R::module(arm) } -> std::same_as<std::string>;
};

namespace detail {

#ifdef BB_MODULE
inline constexpr bool inside_module = true;
#else
inline constexpr bool inside_module = false;
#endif

template <class W>
struct held_input final : erased_input {
  typename W::input value;
  explicit held_input(const values& v) : value(v) {}
  std::span<const std::byte> memory() const override {
    if constexpr (requires { value.memory(); }) return value.memory();
    return {};
  }
};

template <class W, class R, bool Native>
typename W::result call(typename R::ctx c, const typename W::input* in) {
  in = opaque(in);
  if constexpr (Native) return native<W, R>::run(c, *in);
  if constexpr (!Native) return W::template run<R>(c, *in);
}

/// One cell inside its trial. Every answer, timed or not, is compared with the oracle.
template <class W, class R, bool Native>
class typed_body final : public cell_body {
 public:
  typed_body(const erased_input& in, const config& c)
      : input_(static_cast<const held_input<W>&>(in).value),
        expected_(W::expect(input_)),
        runtime_(c) {}

  tally batch(std::uint64_t runs, entry how) override {
    return {runs, how == entry::each ? each(runs) : once(runs)};
  }
  std::string loaded() const override {
    if constexpr (requires { R::loaded(); }) return R::loaded();
    return {};
  }

 private:
  std::uint64_t each(std::uint64_t runs) {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < runs; ++i)
      wrong += runtime_.run([in = &input_](typename R::ctx c) {
        return call<W, R, Native>(c, in);
      }) != expected_;
    return wrong;
  }
  std::uint64_t once(std::uint64_t runs) {
    return runtime_.run([in = &input_, want = &expected_, runs](typename R::ctx c) {
      std::uint64_t wrong = 0;
      for (std::uint64_t i = 0; i < runs; ++i) wrong += call<W, R, Native>(c, in) != *want;
      return wrong;
    });
  }

  const typename W::input& input_;
  typename W::result expected_;
  R runtime_;
};

template <class W, class R, bool Native>
std::unique_ptr<cell_body> make_body(const erased_input& in, const config& c) {
  if constexpr (InModule<R> && !inside_module)
    return make_from_module(R::module(c.arm), W::id, Native ? "native" : "generic", in, c);
  else
    return std::make_unique<typed_body<W, R, Native>>(in, c);
}

template <class W, class R>
void add_cells(row& r) {
  if constexpr (NativeBody<W, R>) r.bodies.push_back({W::id, "native", make_body<W, R, true>});
  if constexpr (GenericBody<W, R>) r.bodies.push_back({W::id, "generic", make_body<W, R, false>});
}

template <class R, class... W>
row make_row(workload_list<W...>) {
  static_assert(Runtime<R>, "the adapter does not satisfy bb::Runtime (harness/primitives.hpp)");
  row r{.id = std::string(R::id),
        .summary = std::string(R::summary),
        .ours = R::ours,
        .version = R::version};
  if constexpr (SingleThread<R>) r.single_thread = true;
  if constexpr (requires { R::may_not_finish; }) r.may_not_finish = R::may_not_finish;
  if constexpr (requires { R::arms; }) r.arms.assign(std::begin(R::arms), std::end(R::arms));
  if constexpr (requires { R::lacks(); }) r.lacks = R::lacks;
  if constexpr (requires { R::lacks_arm; }) r.lacks_arm = R::lacks_arm;
  (add_cells<W, R>(r), ...);
  return r;
}

template <class W>
const series_spec* series_of() {
  if constexpr (requires { W::series; }) return &W::series;
  return nullptr;
}

template <Workload W>
workload_info describe() {
  return {.id = W::id,
          .summary = W::summary,
          .operation = W::operation,
          .needs = W::needs,
          .parameters = std::span<const param_spec>(W::parameters),
          .operations = W::operations,
          .bytes_per_operation = W::bytes_per_operation,
          .memory_bytes = W::memory_bytes,
          .large = W::large,
          .make_input = [](const values& v) -> std::unique_ptr<erased_input> {
            return std::make_unique<held_input<W>>(v);
          },
          .series = series_of<W>()};
}

template <class... W>
std::vector<workload_info> describe_all(workload_list<W...>) {
  return {describe<W>()...};
}

}  // namespace detail
}  // namespace bb

/// Ends an adapter: defines the row of runtime R over all workloads under the name used in runtimes/CMakeLists.txt. In
/// a module it is what load_module() looks for.
#ifdef BB_MODULE
#define BB_ROW(name, R)                                                                \
  extern "C" __attribute__((visibility("default"))) void bb_module_row(bb::row& out) { \
    out = bb::detail::make_row<R>(bb::all_workloads{});                                \
  }
#else
#define BB_ROW(name, R) \
  bb::row bb_row_##name() { return bb::detail::make_row<R>(bb::all_workloads{}); }
#endif
