#include "runtimes/fiber/io.hpp"

#include <liburing.h>

#include "runtimes/fiber/detail/misuse.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/detail/worker.hpp"

namespace fiber::io {

namespace {

// The kernel takes 32-bit lengths; more is a short transfer, as read(2) itself makes above 2 GiB.
unsigned clamp_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t most = 0x7ffff000;
  return static_cast<unsigned>(bytes < most ? bytes : most);
}

}  // namespace

operation::~operation() {
  if (!started() || done()) return;
  cancel();
  wait();
}

io_uring_sqe* operation::begin() noexcept {
  detail::worker* here = detail::this_worker();
  if (here == nullptr) detail::misuse("I/O was started outside a fiber; use scheduler.run()");
  if (started() && !done())
    detail::misuse("an io::operation was started again before its result was taken");
  operation_core::begin(*here, *here->running());
  return here->entry();
}

void operation::submit(io_uring_sqe* entry, const file& which) noexcept {
  if (which.fixed) entry->flags |= IOSQE_FIXED_FILE;
  entry->user_data =
      detail::tagged(static_cast<operation_core*>(this), detail::completion_tag::operation);
  detail::this_worker()->entry_filled();
}

void operation::read(file from, void* to, std::size_t bytes, std::int64_t offset) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_read(entry, from.number, to, clamp_bytes(bytes),
                       static_cast<std::uint64_t>(offset));
  submit(entry, from);
}

void operation::write(file to, const void* from, std::size_t bytes, std::int64_t offset) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_write(entry, to.number, from, clamp_bytes(bytes),
                        static_cast<std::uint64_t>(offset));
  submit(entry, to);
}

void operation::read_fixed(file from, void* to, std::size_t bytes, std::int64_t offset,
                           int index) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_read_fixed(entry, from.number, to, clamp_bytes(bytes),
                             static_cast<std::uint64_t>(offset), index);
  submit(entry, from);
}

void operation::write_fixed(file to, const void* from, std::size_t bytes, std::int64_t offset,
                            int index) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_write_fixed(entry, to.number, from, clamp_bytes(bytes),
                              static_cast<std::uint64_t>(offset), index);
  submit(entry, to);
}

void operation::recv(file from, void* to, std::size_t bytes, int flags) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_recv(entry, from.number, to, bytes, flags);
  submit(entry, from);
}

void operation::send(file to, const void* from, std::size_t bytes, int flags) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_send(entry, to.number, from, bytes, flags | MSG_NOSIGNAL);
  submit(entry, to);
}

void operation::accept(file listener, sockaddr* peer, socklen_t* peer_bytes, int flags) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_accept(entry, listener.number, peer, peer_bytes, flags | SOCK_CLOEXEC);
  submit(entry, listener);
}

void operation::connect(file socket, const sockaddr* peer, socklen_t peer_bytes) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_connect(entry, socket.number, peer, peer_bytes);
  submit(entry, socket);
}

void operation::open(const char* path, int flags, unsigned mode) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_openat(entry, AT_FDCWD, path, flags | O_CLOEXEC, mode);
  submit(entry, file(AT_FDCWD));
}

void operation::close(int fd) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_close(entry, fd);
  submit(entry, file(fd));
}

void operation::fsync(file which, bool data_only) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_fsync(entry, which.number, data_only ? IORING_FSYNC_DATASYNC : 0);
  submit(entry, which);
}

void operation::poll(file which, short events) noexcept {
  io_uring_sqe* entry = begin();
  ::io_uring_prep_poll_add(entry, which.number, static_cast<unsigned short>(events));
  submit(entry, which);
}

void operation::timeout(std::int64_t duration_ns) noexcept {
  constexpr std::int64_t second_ns = 1'000'000'000;
  static_assert(sizeof limit_ == sizeof(__kernel_timespec));
  limit_[0] = duration_ns / second_ns;
  limit_[1] = duration_ns % second_ns;
  io_uring_sqe* entry = begin();
  ::io_uring_prep_timeout(entry, reinterpret_cast<__kernel_timespec*>(limit_), 0, 0);
  submit(entry, file(-1));
}

result operation::get() noexcept {
  if (is_submitter()) {
    wait_as_submitter();
  } else {
    wait();
  }
  return {raw_result()};
}

result operation::get_until(std::int64_t deadline_ns) noexcept {
  if (deadline_ns == no_deadline) return get();
  if (wait_until(deadline_ns)) return {raw_result()};
  cancel();
  const result last = get();
  return last.value == -ECANCELED ? result{-ETIMEDOUT} : last;
}

result read(file from, void* to, std::size_t bytes, std::int64_t offset,
            std::int64_t deadline_ns) noexcept {
  operation once;
  once.read(from, to, bytes, offset);
  return once.get_until(deadline_ns);
}

result write(file to, const void* from, std::size_t bytes, std::int64_t offset,
             std::int64_t deadline_ns) noexcept {
  operation once;
  once.write(to, from, bytes, offset);
  return once.get_until(deadline_ns);
}

result recv(file from, void* to, std::size_t bytes, int flags, std::int64_t deadline_ns) noexcept {
  operation once;
  once.recv(from, to, bytes, flags);
  return once.get_until(deadline_ns);
}

result send(file to, const void* from, std::size_t bytes, int flags,
            std::int64_t deadline_ns) noexcept {
  operation once;
  once.send(to, from, bytes, flags);
  return once.get_until(deadline_ns);
}

result accept(file listener, std::int64_t deadline_ns) noexcept {
  operation once;
  once.accept(listener);
  return once.get_until(deadline_ns);
}

result connect(file socket, const sockaddr* peer, socklen_t peer_bytes,
               std::int64_t deadline_ns) noexcept {
  operation once;
  once.connect(socket, peer, peer_bytes);
  return once.get_until(deadline_ns);
}

result open(const char* path, int flags, unsigned mode) noexcept {
  operation once;
  once.open(path, flags, mode);
  return once.get();
}

result close(int fd) noexcept {
  operation once;
  once.close(fd);
  return once.get();
}

result fsync(file which, bool data_only) noexcept {
  operation once;
  once.fsync(which, data_only);
  return once.get();
}

result poll(file which, short events, std::int64_t deadline_ns) noexcept {
  operation once;
  once.poll(which, events);
  return once.get_until(deadline_ns);
}

}  // namespace fiber::io
