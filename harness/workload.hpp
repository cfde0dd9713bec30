#pragma once
// What a workload is to the harness. A header in workloads/ holds one of these and ends with a static_assert of it:
//
//   parameters    each becomes an option; a smoke and a full list of values
//   input         built once per round, from the values of the parameters that are of_input; read-only afterwards
//   expect()      the oracle: the answer of one run
//   operations()  how many operations one run is
//   run<R>()      the body over the primitives of a runtime R, constrained by the concept that it needs
//   series        only where the figure is a slope over one parameter: a series_spec (harness/cell_body.hpp)

#include <concepts>
#include <span>
#include <string_view>

#include "harness/params.hpp"

namespace bb {

/// A list of workloads as a type (workloads/all.hpp).
template <class... W>
struct workload_list {};

template <class W>
concept Workload = requires(const values& v, const typename W::input& in) {
  { W::id } -> std::convertible_to<std::string_view>;
  { W::summary } -> std::convertible_to<std::string_view>;
  { W::operation } -> std::convertible_to<std::string_view>;  // what one op is, singular: "node"
  {
    W::needs
    } -> std::convertible_to<std::string_view>;  // "fork/join": completes "asio has no ..."
  {std::span<const param_spec>(W::parameters)};
  { W::operations(v) } -> std::convertible_to<double>;  // ops of one run
  {
    W::bytes_per_operation(v)
    } -> std::convertible_to<double>;                     // memory read per op; 0 = says nothing
  { W::memory_bytes(v) } -> std::convertible_to<double>;  // the input's size
  { W::large(v) } -> std::convertible_to<bool>;           // 1 and max threads only, unless --full
  { W::expect(in) } -> std::same_as<typename W::result>;  // the oracle
};

/// The parameter that all fork/join workloads share. How a runtime is entered is the same for every workload, so a
/// smoke run looks at `once` in `tree` alone.
inline constexpr param_spec entry_parameter{
    .name = "entry",
    .help = "enter the runtime for each run of the workload, or once per sample",
    .what = param_spec::kind::choice,
    .choices = "each,once",
    .smoke = "each",
    .full = "each",
    .of_input = false};

}  // namespace bb
