// openmp: tasks of an OpenMP library, with pragmas. This file is compiled three times: without OpenMP for the row's
// description (OpenMP without its pragmas is a serial program), by g++ as the module for libgomp, and by clang as the
// module for libomp. Each compiler emits the calls of its own library, and both libraries export GOMP_*, so neither
// could be linked into bb itself (harness/module.hpp).
//
// Settings: one team of all threads, which bind themselves inside the first parallel region; no dynamic teams. Idle
// threads spin only briefly (KMP_BLOCKTIME=0, GOMP_SPINCOUNT=10000), so that they do not take the time of whoever
// shares the machine; `spin=default` leaves both libraries their own, much longer defaults. What the user's environment
// sets holds. Naive by default, a task at every fork; libgomp keeps all tasks in one queue under one lock, so at fine
// grain it may not finish (hpx#4227). `cutoff=N` is the documented remedy.

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "harness/row.hpp"
#include "workloads/all.hpp"

// Not <omp.h>: it comes with each library and differs between them, these three do not.
#ifdef _OPENMP
extern "C" {
void omp_set_dynamic(int);
int omp_get_thread_num();
int omp_get_num_threads();
}
#endif

namespace bb {
namespace {

struct openmp_rt {
  static constexpr std::string_view id = "openmp";
  static constexpr std::string_view summary = "OpenMP tasks (libgomp; arm lib=libomp)";
  static constexpr bool ours = false;
  static constexpr bool may_not_finish = true;
  static constexpr arm_spec arms[] = {
      {"lib", "the OpenMP library, with the code of its own compiler", "libgomp,libomp", "libomp"},
      {"cutoff", "subtrees of at most N operations run serially", "N", "1000,10000"},
      {"spin", "how long idle threads spin: briefly, or as the library likes", "brief,default",
       "default"}};
  static std::string version() { return BB_OPENMP_VERSION; }

  static std::string lib(const arm_values& arm) { return std::string(arm.get("lib", "libgomp")); }
  static std::string lacks_arm(const arm_values& arm) {
    return lib(arm) == "libomp" ? BB_MISSING_libomp : BB_MISSING_libgomp;
  }
  static std::string module(const arm_values& arm) {
    if (arm.get("spin", "brief") == "brief") {
      setenv("KMP_BLOCKTIME", "0", 0);
      setenv("GOMP_SPINCOUNT", "10000", 0);
    }
    return "openmp_" + lib(arm);
  }

  struct ctx {
    std::uint64_t cutoff;
  };

  explicit openmp_rt(const config& c) : threads_(c.threads), cutoff_(c.arm.number("cutoff", 0)) {
#ifdef _OPENMP
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads_)
    c.sit(static_cast<unsigned>(omp_get_thread_num()));
#endif
  }

  /// The library that the loader found, and the settings in force.
  static std::string loaded() {
    std::string text;
#ifdef _OPENMP
    if (Dl_info info; dladdr(reinterpret_cast<void*>(&omp_get_num_threads), &info) != 0) {
      const std::string file = info.dli_fname;
      text = file.substr(file.rfind('/') + 1) + ", OpenMP " + std::to_string(_OPENMP);
    }
    for (const char* name : {"KMP_BLOCKTIME", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"})
      if (const char* set = std::getenv(name)) text += std::string(", ") + name + "=" + set;
#endif
    return text;
  }

  template <class F>
  auto run(F&& f) {
    const ctx c{cutoff_};
    decltype(f(c)) result{};
#pragma omp parallel num_threads(threads_) shared(result, f)
#pragma omp single
    result = f(c);
    return result;
  }

  static std::uint64_t cutoff(ctx c) { return c.cutoff; }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    decltype(right(c)) b{};
#pragma omp task shared(b, right) firstprivate(c)
    b = right(c);
    auto a = left(c);
#pragma omp taskwait
    return combine(std::move(a), std::move(b));
  }

 private:
  [[maybe_unused]] unsigned threads_;  // read by the pragmas alone
  std::uint64_t cutoff_;
};

}  // namespace

/// As an OpenMP program is written: a task for the left branch, a plain call for the right.
template <>
struct native<tree, openmp_rt> {
  static tree::result sum(const tree::node* t) {
    tree::result left = 0, right = 0;
    if (t->left != nullptr) {
#pragma omp task shared(left) firstprivate(t)
      left = sum(t->left);
    }
    if (t->right != nullptr) right = sum(t->right);
#pragma omp taskwait
    return t->value + left + right;
  }
  static tree::result sum_above(const tree::input& in, const tree::node* t, std::uint64_t size,
                                std::uint64_t bound) {
    if (size <= bound || t->left == nullptr || t->right == nullptr) return tree::serial(t);
    const auto [l, r] = in.split(size);
    tree::result left = 0;
    const std::uint64_t left_size = l;
#pragma omp task shared(left, in) firstprivate(t, left_size, bound)
    left = sum_above(in, t->left, left_size, bound);
    const tree::result right = sum_above(in, t->right, r, bound);
#pragma omp taskwait
    return t->value + left + right;
  }
  static tree::result run(openmp_rt::ctx c, const tree::input& in) {
    return c.cutoff > 1 ? sum_above(in, in.root(), in.size(), c.cutoff) : sum(in.root());
  }
};

}  // namespace bb

BB_ROW(openmp, bb::openmp_rt)
