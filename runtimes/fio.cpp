// fio: a process that does file I/O and nothing else; its cells are those of the file workload.

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

struct fio_rt {
  static constexpr std::string_view id = "fio";
  static constexpr std::string_view summary = "the flexible I/O tester, run as a process";
  static constexpr bool ours = false;
  static std::string version() { return "as installed: asked for by its cells"; }
  static std::string lacks() { return "fio does file I/O only"; }

  struct ctx {};

  explicit fio_rt(const config& c) { c.sit(0); }

  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }
};

}  // namespace
}  // namespace bb

BB_ROW(fio, bb::fio_rt)
