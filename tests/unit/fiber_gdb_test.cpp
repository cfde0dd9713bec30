// The gdb script against this very process: gdb attaches, lists the fibers, and shows where a parked one stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

#if !defined(BB_FIBER_ASAN) && !defined(BB_FIBER_TSAN) && !defined(BB_FIBER_BOOST_CONTEXT)

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

[[gnu::noinline]] void parked_in_here(fiber::event& never_yet) {
  never_yet.wait();
  asm volatile("");  // no tail call
}

std::string gdb(const std::string& commands) {
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const std::string line = "gdb -nx -batch -p " + std::to_string(::getpid()) +
                           " -ex 'source " BB_SOURCE_DIR "/runtimes/fiber/gdb/fiber.py' " +
                           commands + " 2>&1";
  FILE* output = ::popen(line.c_str(), "r");
  std::string text;
  char part[4096];
  for (std::size_t got; (got = std::fread(part, 1, sizeof part, output)) > 0;)
    text.append(part, got);
  ::pclose(output);
  return text;
}

TEST(FiberGdb, ListsFibersAndShowsWhereAParkedOneStands) {
  fiber::scheduler pool(with_workers(1));
  fiber::event go;
  fiber::event is_there;
  std::uint32_t id = 0;
  auto subject = pool.spawn([&] {
    id = fiber::this_fiber_id();
    fiber::name_this_fiber("the subject");
    is_there.set();
    parked_in_here(go);
  });
  is_there.wait();
  fiber::sleep_for(20'000'000);
  const std::string number = std::to_string(id);
  const std::string text =
      gdb("-ex 'fiber list' -ex 'fiber bt " + number + "' -ex 'echo once more\\n' -ex 'fiber bt " +
          number + "' -ex 'fiber bt 77'");
  EXPECT_THAT(text, HasSubstr("stacks of 65536 bytes"));
  EXPECT_THAT(text, ContainsRegex("fiber " + number + "  parked  worker 0  the subject  at 0x"));
  const std::string trace = text.substr(0, text.find("once more"));
  EXPECT_THAT(trace, HasSubstr("parked_in_here"));
  EXPECT_THAT(trace, HasSubstr("fiber::detail::fiber_main"));
  EXPECT_THAT(trace, ContainsRegex("bb_fiber_entry \\(\\)[^\n]*\n(once|$)"));  // the last frame
  EXPECT_THAT(text, Not(HasSubstr("Backtrace stopped")));
  EXPECT_THAT(text.substr(text.find("once more")),
              HasSubstr("parked_in_here"));  // the registers were put back
  EXPECT_THAT(text, HasSubstr("there is no fiber 77"));
  go.set();
  subject.get();  // and the process goes on
}

}  // namespace

#endif
