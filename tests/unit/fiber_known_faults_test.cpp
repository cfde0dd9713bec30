// Faults that other runtimes of this kind have had, each as a test named after it. Those with a file of their own:
// exceptions (fiber_exception_test), unwinding (fiber_context_test, fiber_gdb_test), stack overflow and
// vm.max_map_count (fiber_stack_test), lost wake-ups (fiber_wake_stress, the models).
#include <execinfo.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

namespace {

namespace io = fiber::io;

// Runs `body` in a child process and returns what it returned, as an exit code. Children are single-threaded at first.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// silk#66, userver#235, llvm-project#98479: the address of a thread-local kept over a switch. Tested again with -O3 and
// link-time optimisation by fiber_lto_asm.
TEST(KnownFault, TlsAddressIsNotKeptOverAMigration) {
  fiber::options options = with_workers(3);
  options.stealing = false;
  fiber::scheduler pool(options);
  pool.run([] {
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const std::uint32_t target = i % 3;
      fiber::move_to_worker(target);
      ASSERT_EQ(fiber::this_worker_index(), target);
      ASSERT_EQ(fiber::spawn([] { return fiber::this_worker_index(); }).get(), target);
    }
  });
}

// tarantool#6889: the unwinder runs past the entry. Here from the inside of a scheduler.
TEST(KnownFault, UnwinderStopsAtTheEntry) {
  fiber::scheduler pool(with_workers(1));
  const int frames = pool.run([] {
    void* addresses[256];
    fiber::yield();
    return ::backtrace(addresses, 256);
  });
  EXPECT_GE(frames, 3);
  EXPECT_LE(frames, 40);
}

// ClickHouse#49673: contexts of ThreadSanitizer that are not destroyed, or destroyed while they run, end after some
// thousands of fibers.
TEST(KnownFault, SanitizerContextsAreGivenBack) {
  fiber::scheduler pool(with_workers(2));
  pool.run([] {
    int sum = 0;
    for (int i = 0; i < 20'000; ++i) sum += fiber::spawn([] { return 1; }).get();
    EXPECT_EQ(sum, 20'000);
  });
}

#if defined(__x86_64__)
// boostorg/context#207: a shadow stack ends the program at the first return after a switch. The C library leaves it off
// if one object of the program is not marked for it.
TEST(KnownFault, ProgramIsNotMarkedForShadowStacks) {
  FILE* notes =
      ::popen(("readelf -n /proc/" + std::to_string(::getpid()) + "/exe 2>&1").c_str(), "r");
  ASSERT_NE(notes, nullptr);
  std::string text(1 << 16, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), notes));
  ::pclose(notes);
  EXPECT_THAT(text, ::testing::HasSubstr("Build ID"));  // readelf was there and understood the file
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("SHSTK")));
}
#endif

// oxcaml#3986: signals without an alternate stack put a frame of several KiB onto the fiber's stack.
TEST(KnownFault, SignalsFindRoomOnAFibersStack) {
  static std::atomic<int> signals;
  signals = 0;
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = [](int) { ++signals; };
  ASSERT_EQ(::sigaction(SIGPROF, &action, &old), 0);
  const itimerval often{{0, 500}, {0, 500}};
  ::setitimer(ITIMER_PROF, &often, nullptr);
  fiber::scheduler pool(with_workers(1));
  pool.run([] {
    bool stop = false;
    auto other = fiber::spawn([&] {
      while (!stop) fiber::yield();
    });
    const std::int64_t give_up = fiber::deadline_in(10'000'000'000);
    while (signals < 20 && fiber::now_ns() < give_up) {
      spin_for(100'000);
      fiber::yield();
    }
    stop = true;
  });
  const itimerval never{};
  ::setitimer(ITIMER_PROF, &never, nullptr);
  ::sigaction(SIGPROF, &old, nullptr);
  EXPECT_GE(signals, 20);
}

// liburing#948, moby#46762: io_uring refused by seccomp, which is EPERM or ENOSYS by container.
int complains_when_io_uring_answers(int number) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(number)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 2;
  try {
    fiber::scheduler pool(with_workers(2));
  } catch (const fiber::error& failure) {
    const std::string text = failure.what();
    const bool named = text.find(fiber::errno_name(number)) != std::string::npos;
    const bool remedy =
        text.find("seccomp") != std::string::npos || text.find("sysctl -w") != std::string::npos;
    return named && remedy ? 0 : 3;
  }
  return 4;  // no complaint: a silent fall-back
}

TEST(KnownFault, RefusedIoUringIsExplained) {
  EXPECT_EQ(in_child([] { return complains_when_io_uring_answers(EPERM); }), 0);
  EXPECT_EQ(in_child([] { return complains_when_io_uring_answers(ENOSYS); }), 0);
}

// yalantinglibs#1215: worker i pinned to processor i, which fails in a cpuset that does not hold it.
TEST(KnownFault, WorkersFollowTheCpuset) {
  const int last = fiber::allowed_cpus().back();
  const auto only_there = [&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    fiber::scheduler pool;
    return pool.workers() == 1 && pool.run([] { return ::sched_getcpu(); }) == last ? 0 : 1;
  };
  EXPECT_EQ(in_child(only_there), 0);
}

// ClickHouse#106078: a cancelled read that had taken bytes off a socket lost them.
TEST(KnownFault, CancelledReadsLoseNoBytes) {
  constexpr int total = 20'000;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  std::thread writer([&] {
    for (int i = 0; i < total; ++i) {
      const auto byte = static_cast<unsigned char>(i);
      ASSERT_EQ(::write(ends[1], &byte, 1), 1);
      if (i % 64 == 0) ::sched_yield();
    }
    ::close(ends[1]);
  });
  int received = 0;
  int cancelled = 0;
  bool in_order = true;
  fiber::scheduler pool(with_workers(2));
  pool.run([&] {
    io::operation read;
    for (bool open = true; open;) {
      unsigned char byte = 0;
      read.read(ends[0], &byte, 1);
      if (received % 3 == 0) fiber::yield();
      read.cancel();
      const io::result result = read.get();
      open = result.value != 0;
      if (result.value == 1) {
        in_order = in_order && byte == static_cast<unsigned char>(received);
        ++received;
      } else if (open) {
        EXPECT_EQ(result.number(), ECANCELED) << result.message();
        ++cancelled;
      }
    }
  });
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(received, total);
  EXPECT_TRUE(in_order);
  RecordProperty("cancelled", cancelled);
}

// Silk re-arms its doorbell when a completion queue overflow has ended the multishot poll behind it. Ours is a single
// read, armed anew each time; the test overflows the queue while others ring.
TEST(KnownFault, DoorbellSurvivesOverflowOfTheCompletionQueue) {
  fiber::options options = with_workers(1);
  options.ring_entries = 1;  // 8 completions
  fiber::scheduler pool(options);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  std::atomic<int> rung = 0;
  for (int round = 0; round < 20; ++round) {
    pool.run([&] {
      std::array<io::operation, 64> reads;
      std::array<char, 64> bytes;
      for (std::size_t i = 0; i < reads.size(); ++i) reads[i].read(ends[0], &bytes[i], 1);
      std::thread outside([&] {
        for (int i = 0; i < 20; ++i) pool.launch([&] { ++rung; });
        EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), 64);
        for (int i = 0; i < 20; ++i) pool.launch([&] { ++rung; });
      });
      spin_for(1'000'000);  // completions pile up meanwhile
      for (auto& read : reads) EXPECT_EQ(read.get().value, 1);
      outside.join();
    });
  }
  while (rung < 800) ::sched_yield();
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
