// A runtime that goes wrong in one way, BB_FAULT, to test that one cell's failure is told and costs no other cell.

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/error.hpp"
#include "harness/row.hpp"
#include "workloads/tree.hpp"

namespace bb {
namespace {

#define BB_TEXT_OF(x) #x
#define BB_TEXT(x) BB_TEXT_OF(x)
constexpr std::string_view fault = BB_TEXT(BB_FAULT);

void hold_memory_without_end() {
  // The limit stands in for a machine that is full; without it the test would fill the real one.
  rlimit limit{1 << 30, 1 << 30};
  setrlimit(RLIMIT_AS, &limit);
  static std::vector<std::unique_ptr<char[]>> held;
  for (;;) held.emplace_back(new char[64 << 20]);
}

void go_wrong() {
  if (fault == "crash") raise(SIGSEGV);
  if (fault == "killed") raise(SIGKILL);
  if (fault == "hang" || fault == "endless")
    for (;;) pause();
  if (fault == "spin")
    for (volatile bool forever = true; forever;) {
    }
  if (fault == "hog") hold_memory_without_end();
  if (fault == "throws") throw std::runtime_error("the runtime threw on purpose");
  if (fault == "exits") _exit(3);
  if (fault == "slow") std::this_thread::sleep_for(std::chrono::seconds(1));
  if (fault == "gives_up") throw cannot_finish("the runtime gave up on purpose");
}

struct faulty_rt {
  static constexpr std::string_view id = fault;
  static constexpr std::string_view summary = "goes wrong on purpose";
  static constexpr bool ours = false;
  static constexpr bool may_not_finish = fault == "endless";
  static std::string version() { return "test"; }

  struct ctx {};

  explicit faulty_rt(const config& c) : late_(fault == "wrong_late") {
    c.sit(0);
    // `few` asks for more threads than it starts.
    if (fault != "few")
      for (unsigned i = 1; i < c.threads; ++i) std::thread([&] { c.sit(i); }).join();
    if (fault == "crash_start") abort();
  }

  template <class F>
  auto run(F&& f) {
    go_wrong();
    auto result = f(ctx{});
    ++runs_;
    if (fault == "wrong" || (late_ && runs_ > 3)) ++result;
    return result;
  }

  template <class L, class R, class C>
  static auto fork_join(ctx c, L&& left, R&& right, C&& combine) {
    auto a = left(c);
    return combine(std::move(a), right(c));
  }

 private:
  bool late_;
  int runs_ = 0;
};

}  // namespace
}  // namespace bb

// Over one workload: eleven of these rows are compiled, and a fault is the same in every other.
#define BB_ROW_OF(name)                                                        \
  bb::row bb_row_##name() {                                                    \
    return bb::detail::make_row<bb::faulty_rt>(bb::workload_list<bb::tree>{}); \
  }
#define BB_ROW_OF_VALUE(name) BB_ROW_OF(name)
BB_ROW_OF_VALUE(BB_FAULT)
