#pragma once
// Input and output for fibers, through the io_uring ring of the worker that runs the caller.
//
//   io::result r = io::read(fd, buffer, sizeof buffer);      // suspends the fiber, not the thread
//   if (!r) complain(r.message());                           // "ECONNRESET (Connection reset by peer)"
//
// Rules
//  * From fibers only; a plain thread is stopped with a sentence (use scheduler.run()).
//  * A result is the number of bytes (or the new descriptor) or a negative errno, never both, never lost: an
//    operation that was cancelled or timed out, but had moved bytes, reports the bytes.
//  * A buffer belongs to the operation until its result is there.
//  * offset -1 means the file's own position, as for sockets and pipes.
//  * `deadline_ns` is a point of now_ns(); when it passes, the operation is cancelled and the result is -ETIMEDOUT.
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtimes/fiber/detail/operation.hpp"
#include "runtimes/fiber/error.hpp"

struct io_uring_sqe;

namespace fiber::io {

struct result {
  int value = 0;

  explicit operator bool() const noexcept { return value >= 0; }
  std::size_t count() const noexcept {
    return static_cast<std::size_t>(value);
  }                                                               // precondition: success
  int number() const noexcept { return value < 0 ? -value : 0; }  // errno
  std::string message() const { return value < 0 ? errno_name(value) : "success"; }
};

// A descriptor, or an index into the files registered with scheduler::register_files.
struct file {
  file(int fd) noexcept : number(fd) {}
  static file registered(int index) noexcept { return {index, true}; }
  int number;
  bool fixed = false;

 private:
  file(int index, bool is_fixed) noexcept : number(index), fixed(is_fixed) {}
};

// One operation that runs while the fiber does something else. Start, then wait; then it may be started again. Start
// and destroy it in the same fiber; done, wait and cancel may be called from anywhere while it lives, and wait_any
// takes it. Destroying one in flight cancels it and waits.
class operation : public detail::operation_core {
 public:
  operation() = default;
  ~operation();

  void read(file from, void* to, std::size_t bytes, std::int64_t offset = -1) noexcept;
  void write(file to, const void* from, std::size_t bytes, std::int64_t offset = -1) noexcept;
  // With a buffer registered with scheduler::register_buffers; `to` lies inside buffer `index`.
  void read_fixed(file from, void* to, std::size_t bytes, std::int64_t offset, int index) noexcept;
  void write_fixed(file to, const void* from, std::size_t bytes, std::int64_t offset,
                   int index) noexcept;
  void recv(file from, void* to, std::size_t bytes, int flags = 0) noexcept;
  void send(file to, const void* from, std::size_t bytes, int flags = 0) noexcept;
  void accept(file listener, sockaddr* peer = nullptr, socklen_t* peer_bytes = nullptr,
              int flags = 0) noexcept;
  void connect(file socket, const sockaddr* peer, socklen_t peer_bytes) noexcept;
  void open(const char* path, int flags, unsigned mode = 0) noexcept;
  void close(int fd) noexcept;
  void fsync(file which, bool data_only = false) noexcept;
  void poll(file which, short events) noexcept;     // result: the events
  void timeout(std::int64_t duration_ns) noexcept;  // result: -ETIME when it has passed

  // Asks for an early end; returns at once. The result then tells what happened: -ECANCELED, or bytes.
  void cancel() noexcept { request_cancel(); }
  // Waits and returns the result.
  result get() noexcept;
  // As get(), but cancels at the deadline: -ETIMEDOUT, or the bytes if there were some.
  result get_until(std::int64_t deadline_ns) noexcept;

 private:
  io_uring_sqe* begin() noexcept;
  void submit(io_uring_sqe* entry, const file& which) noexcept;

  std::int64_t limit_[2];  // a timespec that must outlive the submission
};

result read(file from, void* to, std::size_t bytes, std::int64_t offset = -1,
            std::int64_t deadline_ns = no_deadline) noexcept;
result write(file to, const void* from, std::size_t bytes, std::int64_t offset = -1,
             std::int64_t deadline_ns = no_deadline) noexcept;
result recv(file from, void* to, std::size_t bytes, int flags = 0,
            std::int64_t deadline_ns = no_deadline) noexcept;
result send(file to, const void* from, std::size_t bytes, int flags = 0,
            std::int64_t deadline_ns = no_deadline) noexcept;
result accept(file listener, std::int64_t deadline_ns = no_deadline) noexcept;
result connect(file socket, const sockaddr* peer, socklen_t peer_bytes,
               std::int64_t deadline_ns = no_deadline) noexcept;
result open(const char* path, int flags, unsigned mode = 0) noexcept;
result close(int fd) noexcept;
result fsync(file which, bool data_only = false) noexcept;
result poll(file which, short events, std::int64_t deadline_ns = no_deadline) noexcept;

}  // namespace fiber::io
