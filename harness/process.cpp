#include "harness/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/clock.hpp"
#include "harness/error.hpp"

namespace bb {
namespace {

void use_default_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int s : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGXFSZ}) signal(s, SIG_DFL);
}

// The kernel sends the signal when the parent *thread* dies; the parent could also have died before this call.
void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(1);
}

void prefer_as_oom_victim() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const bool written = write_all(fd, "1000");
  close(fd);
}

int job_file(const std::string& job) {
  const int fd = memfd_create("bb-job", MFD_CLOEXEC);
  if (fd < 0 || !write_all(fd, job) || lseek(fd, 0, SEEK_SET) != 0)
    throw error(1, fmt::format("cannot hand the job to a child process: {}", std::strerror(errno)));
  return fd;
}

[[noreturn]] void exec_self(const std::string& verb, std::size_t padding, int job, int output,
                            pid_t parent) {
  setpgid(0, 0);
  die_with(parent);
  use_default_signals();
  setenv("BB_PADDING", std::string(padding, 'x').c_str(), 1);
  // First above 4, so that neither dup2 overwrites the other's source.
  const int job_high = fcntl(job, F_DUPFD, 5), output_high = fcntl(output, F_DUPFD, 5);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  dup2(job_high, 3);
  dup2(output_high, 4);
  close(job_high);
  close(output_high);
  const char* arguments[] = {"bb", verb.c_str(), nullptr};
  execv("/proc/self/exe", const_cast<char* const*>(arguments));
  _exit(127);
}

}  // namespace

std::string describe_exit(int wait_status) {
  if (WIFEXITED(wait_status))
    return fmt::format("ended with exit code {}", WEXITSTATUS(wait_status));
  const int signal_number = WTERMSIG(wait_status);
  return fmt::format("crashed: signal {} ({})", signal_number, strsignal(signal_number));
}

round_process::round_process(std::string_view verb, const std::string& job, std::size_t padding) {
  const int job_fd = job_file(job);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw error(1, fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) exec_self(std::string(verb), padding, job_fd, ends[1], parent);
  close(job_fd);
  close(ends[1]);
  output_ = ends[0];
  if (pid_ < 0) {
    close(output_);
    throw error(1, fmt::format("cannot start a child process: {}", std::strerror(errno)));
  }
  setpgid(pid_, pid_);
}

round_process::~round_process() {
  kill();
  wait();
  close(output_);
}

void round_process::acknowledge() {
  // Its end is seen by the reader of events; a signal for writing to it would end the driver.
  send(output_, "\n", 1, MSG_NOSIGNAL);
}

int round_process::wait() {
  int wait_status = 0;
  if (pid_ > 0) {
    while (waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  return wait_status;
}

void round_process::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

std::string read_all(int fd) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

namespace {

// Until the child closes its end or time is up; true = time is up.
bool collect(int fd, std::uint64_t timeout_ns, std::string& text) {
  const std::uint64_t deadline = now_ns() + timeout_ns;
  for (;;) {
    const std::uint64_t now = now_ns();
    if (now >= deadline) return true;
    pollfd p{fd, POLLIN, 0};
    const int ready = poll(
        &p, 1, static_cast<int>(std::min<std::uint64_t>((deadline - now) / 1'000'000 + 1, 60'000)));
    if (ready <= 0) continue;
    char buffer[65536];
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) return false;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

fork_outcome run_forked(const std::function<std::string()>& body, std::uint64_t timeout_ns) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw error(1, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0)
    throw error(1, fmt::format("cannot start a child process: {}", std::strerror(errno)));
  if (child == 0) {
    setpgid(0, 0);
    die_with(parent);
    prefer_as_oom_victim();
    close(ends[0]);
    const std::string text = body();
    // _exit: a broken runtime must not spoil its result by what its destructors or atexit handlers do.
    _exit(write_all(ends[1], text) ? 0 : 1);
  }
  close(ends[1]);
  fork_outcome out;
  out.timed_out = collect(ends[0], timeout_ns, out.text);
  if (out.timed_out) kill(-child, SIGKILL), kill(child, SIGKILL);
  while (waitpid(child, &out.wait_status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);  // what the trial itself started and left behind
  close(ends[0]);
  return out;
}

int run_shell(const std::string& command) {
  const pid_t child = fork();
  if (child < 0) throw error(1, fmt::format("cannot start a shell: {}", std::strerror(errno)));
  if (child == 0) {
    use_default_signals();
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  return wait_status;
}

}  // namespace bb
