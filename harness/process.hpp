#pragma once
// Child processes of the harness: this program exec'd anew for a round, and its forked trials.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bb {

/// How a child ended: "ended with exit code 3", "crashed: signal 11 (Segmentation fault)".
std::string describe_exit(int wait_status);

/// This program again, in a process group of its own, with `job` readable as file descriptor 3 and a connection on file
/// descriptor 4: it writes events, and after each waits for acknowledge(), so that nothing of ours runs beside a trial.
/// `padding` is the length of an extra environment entry: it moves the stack, so that each round has an address layout
/// of its own (Mytkowicz et al., ASPLOS 2009).
class round_process {
 public:
  round_process(std::string_view verb, const std::string& job, std::size_t padding);
  ~round_process();  // kills and reaps what is left
  round_process(const round_process&) = delete;
  round_process& operator=(const round_process&) = delete;

  int output() const { return output_; }
  void acknowledge();
  int wait();   // for its end; returns the wait status
  void kill();  // the whole group

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

/// What came of a forked call.
struct fork_outcome {
  std::string text;  // what the child handed over
  int wait_status = 0;
  bool timed_out = false;
};

/// Runs `body` in a forked child, which hands over the text it returns. The child has its own process group, dies with
/// its parent, is the first to go when memory runs out, and is killed after `timeout_ns`.
fork_outcome run_forked(const std::function<std::string()>& body, std::uint64_t timeout_ns);

/// Runs a shell command; its output goes to stderr. Returns the wait status.
int run_shell(const std::string& command);

std::string read_all(int fd);
bool write_all(int fd, std::string_view text);  // false: errno says why

}  // namespace bb
