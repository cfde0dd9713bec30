// rayon: Rust's work stealing, rayon::join per fork. The library and its native bodies are in the crate
// runtimes/rayon/. Naive by default (a join at every fork, which Rayon's authors do not advise), `cutoff=N` is the
// documented remedy.
//
// The thread that calls run() only waits: Rayon's workers are threads of its own, seated by the pool's start handler.
// The generic bodies cross into Rust by two indirect calls per fork; `bb tax` shows what that costs.

#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "harness/error.hpp"
#include "harness/row.hpp"
#include "workloads/all.hpp"

extern "C" {
struct bb_rayon_pool;
bb_rayon_pool* bb_rayon_start(std::size_t threads, void (*sit)(void*, std::size_t), void* seats);
void bb_rayon_stop(bb_rayon_pool*);
void bb_rayon_install(bb_rayon_pool&, void (*call)(void*), void* data);
void bb_rayon_join(void (*left)(void*), void* left_data, void (*right)(void*), void* right_data);
std::uint64_t bb_rayon_tree(const bb::tree::node& root, std::uint64_t size, bool skewed,
                            std::uint64_t bound);
std::uint64_t bb_rayon_grain(const bb::tree::node& root, std::uint64_t size, std::uint64_t rounds,
                             std::uint64_t bound);
std::uint64_t bb_rayon_fork(std::uint64_t forks, std::uint64_t bound);
std::uint64_t bb_rayon_fib(std::uint32_t n, const std::array<std::uint64_t, 61>& calls,
                           std::uint64_t bound);
std::uint64_t bb_rayon_skynet(std::uint64_t leaves, std::uint64_t bound);
std::uint64_t bb_rayon_nqueens(std::uint32_t queens);
std::uint64_t bb_rayon_fanout(std::uint64_t tasks, std::uint64_t bound);
}

namespace bb {
namespace {

struct rayon_rt {
  static constexpr std::string_view id = "rayon";
  static constexpr std::string_view summary = "Rayon (Rust) work stealing, a join per fork";
  static constexpr bool ours = false;
  static constexpr arm_spec arms[] = {
      {"cutoff", "subtrees of at most N operations run serially", "N", "1000,10000"}};
  static std::string version() { return BB_RAYON_VERSION; }

  struct ctx {
    std::uint64_t cutoff;
  };

  explicit rayon_rt(const config& c)
      : pool_(bb_rayon_start(c.threads, sit, const_cast<config*>(&c)), bb_rayon_stop),
        cutoff_(c.arm.number("cutoff", 0)) {
    if (pool_ == nullptr) throw cannot_finish("Rayon could not start its threads");
  }

  template <class F>
  auto run(F&& f) {
    call_of call{f, ctx{cutoff_}};
    bb_rayon_install(*pool_, call.enter, &call);
    return std::move(call.result);
  }

  static std::uint64_t cutoff(ctx c) { return c.cutoff; }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    call_of a{left, c};
    call_of b{right, c};
    bb_rayon_join(a.enter, &a, b.enter, &b);
    return combine(std::move(a.result), std::move(b.result));
  }

 private:
  /// A callable and its result as Rust sees them: a function and a pointer.
  template <class F>
  struct call_of {
    F& f;
    ctx c;
    std::invoke_result_t<F&, ctx> result{};

    static void enter(void* p) {
      auto& mine = *static_cast<call_of*>(p);
      mine.result = mine.f(mine.c);
    }
  };
  template <class F>
  call_of(F&, ctx) -> call_of<F>;

  static void sit(void* c, std::size_t worker) {
    static_cast<const config*>(c)->sit(static_cast<unsigned>(worker));
  }

  std::unique_ptr<bb_rayon_pool, void (*)(bb_rayon_pool*)> pool_;
  std::uint64_t cutoff_;
};

}  // namespace

template <>
struct native<tree, rayon_rt> {
  static tree::result run(rayon_rt::ctx c, const tree::input& in) {
    return bb_rayon_tree(*in.root(), in.size(), in.skewed(), c.cutoff);
  }
};

template <>
struct native<grain, rayon_rt> {
  static grain::result run(rayon_rt::ctx c, const grain::input& in) {
    return bb_rayon_grain(*in.nodes.root(), in.nodes.size(), in.work, c.cutoff);
  }
};

template <>
struct native<fork_series, rayon_rt> {
  static fork_series::result run(rayon_rt::ctx c, const fork_series::input& in) {
    return bb_rayon_fork(in.forks, c.cutoff);
  }
};

template <>
struct native<fib, rayon_rt> {
  static fib::result run(rayon_rt::ctx c, const fib::input& in) {
    return bb_rayon_fib(in.n, fib::sizes, c.cutoff);
  }
};

template <>
struct native<skynet, rayon_rt> {
  static skynet::result run(rayon_rt::ctx c, const skynet::input& in) {
    return bb_rayon_skynet(in.leaves, c.cutoff);
  }
};

template <>
struct native<nqueens, rayon_rt> {
  static nqueens::result run(rayon_rt::ctx, const nqueens::input& in) {
    return bb_rayon_nqueens(in.queens);
  }
};

template <>
struct native<fanout, rayon_rt> {
  static fanout::result run(rayon_rt::ctx c, const fanout::input& in) {
    return bb_rayon_fanout(in.tasks, c.cutoff);
  }
};

}  // namespace bb

BB_ROW(rayon, bb::rayon_rt)
