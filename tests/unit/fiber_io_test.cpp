#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "runtimes/fiber/fiber.hpp"
#include "tests/unit/fiber_support.hpp"

namespace {

namespace io = fiber::io;

struct pipe_pair {
  pipe_pair() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0); }
  ~pipe_pair() { ::close(ends[0]), ::close(ends[1]); }
  int ends[2] = {-1, -1};
  int out() const { return ends[0]; }
  int in() const { return ends[1]; }
};

// In every mode of the ring, because older kernels have fewer.
class FiberIo : public ::testing::TestWithParam<fiber::ring_mode> {
 protected:
  static fiber::options in_mode(fiber::ring_mode mode) {
    fiber::options options = with_workers(1);
    options.ring = mode;
    return options;
  }
  fiber::scheduler pool{in_mode(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Modes, FiberIo,
                         ::testing::Values(fiber::ring_mode::automatic,
                                           fiber::ring_mode::cooperative,
                                           fiber::ring_mode::interrupting));

TEST_P(FiberIo, PingPongOverPipes) {
  pipe_pair there;
  pipe_pair back;
  pool.run([&] {
    auto pong = fiber::spawn([&] {
      char byte;
      while (io::read(there.out(), &byte, 1).count() == 1 && byte != 'q')
        io::write(back.in(), &byte, 1);
    });
    for (int i = 0; i < 1000; ++i) {
      char sent = static_cast<char>('a' + i % 10);
      ASSERT_EQ(io::write(there.in(), &sent, 1).value, 1);
      char got = 0;
      ASSERT_EQ(io::read(back.out(), &got, 1).value, 1);
      ASSERT_EQ(got, sent);
    }
    io::write(there.in(), "q", 1);
  });
}

TEST_P(FiberIo, CopiesAFile) {
  const std::string path = ::testing::TempDir() + "fiber_io_test";
  std::vector<char> content(300'000);
  std::iota(content.begin(), content.end(), 0);
  pool.run([&] {
    const io::result to = io::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ASSERT_TRUE(to) << to.message();
    ASSERT_EQ(io::write(to.value, content.data(), content.size(), 0).count(), content.size());
    EXPECT_TRUE(io::fsync(to.value));
    EXPECT_TRUE(io::fsync(to.value, true));
    std::vector<char> got(content.size() + 10);
    EXPECT_EQ(io::read(to.value, got.data(), got.size(), 0).count(), content.size());
    got.resize(content.size());
    EXPECT_EQ(got, content);
    EXPECT_EQ(io::read(to.value, got.data(), 10, static_cast<std::int64_t>(content.size())).value,
              0);
    EXPECT_TRUE(io::close(to.value));
  });
  ::unlink(path.c_str());
}

TEST_P(FiberIo, ServesTcp) {
  pool.run([] {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener, plain, bytes), 0);
    ASSERT_EQ(::listen(listener, 16), 0);
    ASSERT_EQ(::getsockname(listener, plain, &bytes), 0);
    auto server = fiber::spawn([&] {
      const io::result peer = io::accept(listener);
      ASSERT_TRUE(peer) << peer.message();
      char buffer[64];
      for (io::result got;
           (got = io::recv(peer.value, buffer, sizeof buffer)) && got.count() > 0;) {
        EXPECT_EQ(io::send(peer.value, buffer, got.count()).value, got.value);
      }
      io::close(peer.value);
    });
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_TRUE(io::connect(client, plain, bytes));
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(io::send(client, &i, sizeof i).value, 4);
      int got = -1;
      ASSERT_EQ(io::recv(client, &got, sizeof got, MSG_WAITALL).value, 4);
      ASSERT_EQ(got, i);
    }
    io::close(client);
    server.get();
    io::close(listener);
  });
}

TEST_P(FiberIo, ErrorsHaveNames) {
  pool.run([] {
    char byte;
    const io::result bad = io::read(-1, &byte, 1);
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.number(), EBADF);
    EXPECT_EQ(bad.message(), "EBADF (Bad file descriptor)");
    EXPECT_EQ(io::open("/no/such/file", O_RDONLY).number(), ENOENT);
    EXPECT_EQ(io::fsync(-1).number(), EBADF);
    EXPECT_EQ(io::recv(0, &byte, 1, 0, fiber::deadline_in(1'000'000'000)).number(), ENOTSOCK);
  });
  EXPECT_EQ(fiber::errno_name(99999), "errno 99999");
}

TEST_P(FiberIo, PollReportsEvents) {
  pipe_pair pipe;
  pool.run([&] {
    EXPECT_EQ(io::poll(pipe.in(), POLLOUT).value & POLLOUT, POLLOUT);
    EXPECT_EQ(io::poll(pipe.out(), POLLIN, fiber::deadline_in(1'000'000)).number(), ETIMEDOUT);
    io::write(pipe.in(), "x", 1);
    EXPECT_EQ(io::poll(pipe.out(), POLLIN).value & POLLIN, POLLIN);
  });
}

TEST_P(FiberIo, DeadlinesEndOperations) {
  pipe_pair pipe;
  pool.run([&] {
    char byte;
    const std::int64_t begin = fiber::now_ns();
    EXPECT_EQ(io::read(pipe.out(), &byte, 1, -1, fiber::deadline_in(2'000'000)).number(),
              ETIMEDOUT);
    EXPECT_GE(fiber::now_ns() - begin, 2'000'000);
    io::write(pipe.in(), "x", 1);
    EXPECT_EQ(io::read(pipe.out(), &byte, 1, -1, fiber::deadline_in(2'000'000'000)).value, 1);
  });
}

TEST_P(FiberIo, TimeoutIsAnOperation) {
  pool.run([] {
    io::operation timer;
    const std::int64_t begin = fiber::now_ns();
    timer.timeout(3'000'000);
    EXPECT_FALSE(timer.done());
    EXPECT_EQ(timer.get().number(), ETIME);
    EXPECT_GE(fiber::now_ns() - begin, 3'000'000);
  });
}

TEST_P(FiberIo, ManyOperationsOfOneFiberOverlap) {
  pipe_pair pipe;
  pool.run([&] {
    std::array<io::operation, 100> reads;
    std::array<char, 100> bytes{};
    for (std::size_t i = 0; i < reads.size(); ++i) reads[i].read(pipe.out(), &bytes[i], 1);
    std::string text(100, 'z');
    EXPECT_EQ(io::write(pipe.in(), text.data(), text.size()).value, 100);
    for (auto& read : reads) EXPECT_EQ(read.get().value, 1);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
    reads[0].read(pipe.out(), &bytes[0], 1);  // may be used again
    reads[0].cancel();
    EXPECT_EQ(reads[0].get().number(), ECANCELED);
  });
}

TEST_P(FiberIo, WaitAnyOverOperations) {
  pipe_pair slow;
  pipe_pair fast;
  pool.run([&] {
    io::operation a, b, c;
    char bytes[2];
    a.read(slow.out(), &bytes[0], 1);
    b.read(fast.out(), &bytes[1], 1);
    c.timeout(5'000'000'000);
    fiber::waitable* all[] = {&a, &b, &c};
    EXPECT_EQ(fiber::wait_any(all, fiber::deadline_in(1'000'000)), fiber::none_done);
    io::write(fast.in(), "x", 1);
    EXPECT_EQ(fiber::wait_any(all), 1u);
    EXPECT_EQ(b.get().value, 1);
  });  // the others are cancelled by their destructors
}

TEST_P(FiberIo, RegisteredFilesAndBuffers) {
  pipe_pair pipe;
  const int files[] = {pipe.out(), pipe.in()};
  ASSERT_EQ(pool.register_files(files), 0);
  alignas(4096) static char memory[8192];
  const iovec buffers[] = {{memory, 4096}, {memory + 4096, 4096}};
  ASSERT_EQ(pool.register_buffers(buffers), 0);
  pool.run([&] {
    std::memcpy(memory, "registered", 10);
    io::operation write, read;
    write.write_fixed(io::file::registered(1), memory, 10, -1, 0);
    EXPECT_EQ(write.get().value, 10);
    read.read_fixed(io::file::registered(0), memory + 4096, 10, -1, 1);
    EXPECT_EQ(read.get().value, 10);
    EXPECT_EQ(std::memcmp(memory, memory + 4096, 10), 0);
  });
  EXPECT_EQ(pool.register_files(files), -EBUSY);  // once per scheduler
}

TEST(FiberIoRing, SmallRingTakesMoreOperationsThanItHasEntries) {
  fiber::options options = with_workers(1);
  options.ring_entries = 2;
  fiber::scheduler pool(options);
  pipe_pair pipe;
  pool.run([&] {
    std::array<io::operation, 64> reads;
    std::array<char, 64> bytes{};
    for (std::size_t i = 0; i < reads.size(); ++i) reads[i].read(pipe.out(), &bytes[i], 1);
    const std::string text(64, 'z');
    EXPECT_EQ(io::write(pipe.in(), text.data(), text.size()).value, 64);
    for (auto& read : reads) EXPECT_EQ(read.get().value, 1);
  });
}

TEST(FiberIoRing, BatchesSubmissions) {
  const auto enters_with_batch = [](std::uint32_t batch) {
    fiber::options options = with_workers(1);
    options.submit_batch = batch;
    fiber::scheduler pool(options);
    pipe_pair pipe;
    pool.run([&] {
      std::array<io::operation, 64> writes;
      for (auto& write : writes) write.write(pipe.in(), "x", 1);
      for (auto& write : writes) EXPECT_EQ(write.get().value, 1);
    });
    EXPECT_EQ(pool.totals().submits, 64u);
    return pool.totals().enters;
  };
  EXPECT_GE(enters_with_batch(1), 64u);
  EXPECT_LE(enters_with_batch(64), 20u);
}

TEST(FiberIoDeathTest, OutsideAFiberIsStoppedWithASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  char byte;
  EXPECT_DEATH(io::read(0, &byte, 1), "I/O was started outside a fiber; use scheduler.run()");
}

}  // namespace
