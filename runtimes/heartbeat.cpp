// heartbeat: our fork/join scheduler (runtimes/heartbeat/, after Spice).

#include "runtimes/heartbeat/heartbeat.hpp"

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

struct heartbeat_rt {
  static constexpr std::string_view id = "heartbeat";
  static constexpr std::string_view summary =
      "our heartbeat scheduler: forks are shared only at a beat";
  static constexpr bool ours = true;
  static constexpr arm_spec arms[] = {
      {"beat_us", "microseconds between beats", "N", "10,50,500", 1, 1'000'000}};
  static std::string version() { return "bb::heartbeat, this commit"; }

  using ctx = ::heartbeat::context;

  explicit heartbeat_rt(const config& c)
      : pool_({.workers = c.threads,
               .beat_interval_ns = static_cast<std::int64_t>(c.arm.number("beat_us", 100)) * 1000,
               .on_worker_start = [&c](unsigned worker) { c.sit(worker); }}) {
    c.sit(0);
  }

  template <class F>
  auto run(F&& f) {
    return pool_.run(f);
  }

  template <class L, class R, class C>
  [[gnu::always_inline]] static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    return ::heartbeat::fork_join(c, left, right, combine);
  }

 private:
  ::heartbeat::pool pool_;
};

}  // namespace

/// As a user of the library alone would write it.
template <>
struct native<tree, heartbeat_rt> {
  static tree::result sum(::heartbeat::context c, const tree::node* t) {
    if (t->left != nullptr && t->right != nullptr)
      return ::heartbeat::fork_join(
          c, [l = t->left](::heartbeat::context d) { return sum(d, l); },
          [r = t->right](::heartbeat::context d) { return sum(d, r); },
          [value = t->value](tree::result a, tree::result b) { return value + a + b; });
    if (t->left != nullptr) return t->value + sum(c, t->left);
    if (t->right != nullptr) return t->value + sum(c, t->right);
    return t->value;
  }
  static tree::result run(::heartbeat::context c, const tree::input& in) {
    return sum(c, in.root());
  }
};

}  // namespace bb

BB_ROW(heartbeat, bb::heartbeat_rt)
