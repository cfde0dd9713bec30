// asio (standalone): an event loop. It runs callbacks and coroutines, but has no fork/join.

#include <asio/version.hpp>
#include <string>

#include "harness/row.hpp"
#include "workloads/all.hpp"

namespace bb {
namespace {

struct asio_rt {
  static constexpr std::string_view id = "asio";
  static constexpr std::string_view summary = "event loop with callbacks and coroutines";
  static constexpr bool ours = false;
  static std::string version() {
    return "asio " + std::to_string(ASIO_VERSION / 100000) + "." +
           std::to_string(ASIO_VERSION / 100 % 1000) + "." + std::to_string(ASIO_VERSION % 100);
  }

  struct ctx {};

  explicit asio_rt(const config& c) { c.sit(0); }

  template <class F>
  auto run(F&& f) {
    return f(ctx{});
  }
};

}  // namespace
}  // namespace bb

BB_ROW(asio, bb::asio_rt)
