// serial: one thread, no scheduler. The baseline of every speed-up, and the proof that the primitives cost nothing.

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

struct serial_rt {
  static constexpr std::string_view id = "serial";
  static constexpr std::string_view summary = "plain calls on one thread: the baseline";
  static constexpr bool ours = false;
  static constexpr bool single_thread = true;
  static std::string version() { return "plain recursion"; }

  struct ctx {};

  explicit serial_rt(const config& c) { c.sit(0); }

  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    auto a = left(c);
    return combine(std::move(a), right(c));
  }
};

}  // namespace

template <>
struct native<tree, serial_rt> {
  static tree::result run(serial_rt::ctx, const tree::input& in) { return tree::serial(in.root()); }
};

}  // namespace bb

BB_ROW(serial, bb::serial_rt)
