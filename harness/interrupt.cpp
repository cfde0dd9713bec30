#include "harness/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace bb {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

void hold_back(int how) {
  const sigset_t set = watched();
  sigprocmask(how, &set, nullptr);
}

}  // namespace

interrupt_watch::interrupt_watch() {
  hold_back(SIG_BLOCK);
  const sigset_t set = watched();
  fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

interrupt_watch::~interrupt_watch() {
  raised();  // takes what came since, lest it end the program now that its work is done
  close(fd_);
  hold_back(SIG_UNBLOCK);
}

bool interrupt_watch::raised() {
  signalfd_siginfo info;
  while (read(fd_, &info, sizeof info) > 0) raised_ = true;
  return raised_;
}

}  // namespace bb
