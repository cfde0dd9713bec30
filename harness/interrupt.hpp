#pragma once
// Ctrl-C and SIGTERM as something to poll for, so that a run ends between two steps and keeps what it has.

namespace bb {

/// Holds SIGINT, SIGTERM and SIGHUP back while it lives: `timeout` and terminals send more than one, and none of them
/// may end the program in the middle of writing its result. One at a time, in the main thread, before other threads
/// start.
class interrupt_watch {
 public:
  interrupt_watch();
  ~interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;

  int fd() const { return fd_; }  // readable once a signal came
  bool raised();

 private:
  int fd_ = -1;
  bool raised_ = false;
};

}  // namespace bb
