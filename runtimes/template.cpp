// TEMPLATE: what the runtime is, and what makes its configuration here the best honest one. To add a runtime: copy this
// file to runtimes/NAME.cpp, fill in the primitives that the runtime has, leave out those that it has not (its cells
// then say "NAME has no fork/join"), and add one line to runtimes/CMakeLists.txt:
//
//   bb_runtime(NAME [FIND CMakePackage] [LINK targets] [HEADER header.h] [PACKAGE debian-package] [SUMMARY "one line"])
//
// Where the package is missing, the row is listed as absent with the command that installs it. This file is compiled
// with every build, so that it cannot rot, but no program has its row.

#include <thread>
#include <utility>
#include <vector>

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

struct template_rt {
  static constexpr std::string_view id = "template";  // on the command line and in results
  static constexpr std::string_view summary = "one line for bb list";
  static constexpr bool ours = false;  // true: one of the libraries of this project

  // Options of its arms, if it has any: --runtime template/greeting=on. `sweep` is what template/* adds.
  static constexpr arm_spec arms[] = {{"greeting", "what the option does", "on,off", "on"}};

  // The library's version and the settings that matter; kept in every result.
  static std::string version() { return "template 1.0"; }

  // What is handed down the recursion, by value. Empty where the runtime needs nothing: it then costs nothing.
  struct ctx {};

  // Starts all workers. Worker 0 is the thread that calls run(), here the one that constructs. Each worker calls
  // c.sit(number) from its own thread before it takes work, and has done so when the constructor returns: a cell with
  // fewer distinct threads or PUs than asked fails.
  explicit template_rt(const config& c) {
    c.sit(0);
    for (unsigned worker = 1; worker < c.threads; ++worker)
      std::thread([&c, worker] { c.sit(worker); }).join();
  }

  // Runtime: enters the runtime, calls f(ctx) in it and returns its result.
  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }

  // ForkJoin: both branches, at the same time if the runtime likes, then combine. Results by value.
  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    auto a = left(c);
    return combine(std::move(a), right(c));
  }
};

}  // namespace

// A native body stands beside the generic one, for an idiom that the primitives cannot express:
//
//   template <>
//   struct native<tree, template_rt> {
//     static tree::result run(template_rt::ctx c, const tree::input& in) { ... }
//   };

}  // namespace bb

BB_ROW(template, bb::template_rt)
