// The examples of the documentation, as programs that run: an echo server, a file copy, a fan-out with a deadline.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "runtimes/fiber/fiber.hpp"

namespace {

namespace io = fiber::io;

// --- echo server: one fiber per connection

void echo(int connection) {
  char buffer[4096];
  for (;;) {
    const io::result got = io::recv(connection, buffer, sizeof buffer);
    if (!got || got.count() == 0) break;
    if (!io::send(connection, buffer, got.count(), MSG_WAITALL)) break;
  }
  io::close(connection);
}

// Serves until the listener is shut down.
void serve(fiber::scheduler& pool, int listener) {
  for (;;) {
    const io::result connection = io::accept(listener);
    if (!connection) break;
    pool.launch([fd = connection.value] { echo(fd); });
  }
}

TEST(FiberExample, EchoServer) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, plain, bytes), 0);
  ASSERT_EQ(::listen(listener, 64), 0);
  ASSERT_EQ(::getsockname(listener, plain, &bytes), 0);

  fiber::scheduler pool;
  auto server = pool.spawn([&] { serve(pool, listener); });
  pool.run([&] {
    std::vector<std::unique_ptr<fiber::future<bool>>> answers;
    for (int i = 0; i < 20; ++i) {
      auto* answer = answers.emplace_back(std::make_unique<fiber::future<bool>>()).get();
      pool.launch([&, i, answer] {
        const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const std::string text = "message " + std::to_string(i);
        std::string got(text.size(), '?');
        const bool good = io::connect(client, plain, bytes) &&
                          io::send(client, text.data(), text.size()) &&
                          io::recv(client, got.data(), got.size(), MSG_WAITALL) && got == text;
        io::close(client);
        answer->set(good);
      });
    }
    for (auto& answer : answers) EXPECT_TRUE(answer->get());
  });
  ::shutdown(listener, SHUT_RDWR);
  server.get();
  ::close(listener);
}

// --- file copy: several blocks in flight at once

int copy(const char* from, const char* to) {
  constexpr std::size_t block = 64 * 1024;
  constexpr int depth = 4;
  const io::result source = io::open(from, O_RDONLY);
  if (!source) return source.number();
  const io::result target = io::open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!target) return target.number();
  std::vector<char> memory(block * depth);
  io::operation reads[depth];
  int failure = 0;
  for (std::int64_t offset = 0, ended = 0; failure == 0 && ended == 0;
       offset += depth * std::int64_t{block}) {
    for (int i = 0; i < depth; ++i) {
      reads[i].read(source.value, &memory[block * i], block, offset + i * std::int64_t{block});
    }
    for (int i = 0; i < depth; ++i) {
      const io::result got = reads[i].get();
      ended |= got.value < static_cast<int>(block);
      if (!got) failure = got.number();
      if (!got || got.count() == 0) continue;
      const io::result put = io::write(target.value, &memory[block * i], got.count(),
                                       offset + i * std::int64_t{block});
      if (put.value != got.value) failure = put ? EIO : put.number();
    }
  }
  io::close(source.value);
  const io::result flushed = io::fsync(target.value);
  io::close(target.value);
  return failure != 0 ? failure : flushed.number();
}

TEST(FiberExample, FileCopy) {
  const std::string from = ::testing::TempDir() + "fiber_copy_from";
  const std::string to = ::testing::TempDir() + "fiber_copy_to";
  std::string content;
  for (int i = 0; content.size() < 1'000'003; ++i) content += std::to_string(i);
  std::ofstream(from) << content;
  fiber::scheduler pool;
  EXPECT_EQ(pool.run([&] { return copy(from.c_str(), to.c_str()); }), 0);
  std::ifstream written(to);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), content);
  EXPECT_EQ(pool.run([&] { return copy("/no/such/file", to.c_str()); }), ENOENT);
  ::unlink(from.c_str());
  ::unlink(to.c_str());
}

// --- fan-out: ask all, take what has come when the time is up, call the rest off

struct answers {
  int sum = 0;
  int late = 0;
};

answers ask_all(std::int64_t deadline_ns) {
  fiber::event call_off;
  const auto ask = [&](int value, std::int64_t needs_ns) {
    return call_off.wait_until(fiber::deadline_in(needs_ns)) ? -1 : value;
  };
  auto a = fiber::spawn([&] { return ask(1, 0); });
  auto b = fiber::spawn([&] { return ask(2, 10'000'000); });
  auto c = fiber::spawn([&] { return ask(4, 3'600'000'000'000); });  // an hour
  fiber::waitable* all[] = {&a, &b, &c};
  fiber::wait_all(all, deadline_ns);
  call_off.set();
  answers result;
  for (auto* each : {&a, &b, &c}) {
    const int value = each->get();
    value < 0 ? ++result.late : result.sum += value;
  }
  return result;
}

TEST(FiberExample, FanOutWithADeadline) {
  fiber::scheduler pool;
  const answers got = pool.run([] { return ask_all(fiber::deadline_in(500'000'000)); });
  EXPECT_EQ(got.sum, 3);
  EXPECT_EQ(got.late, 1);
}

}  // namespace
