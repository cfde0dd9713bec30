#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace bb::test {

/// Runs the predicate in a forked child, so that masks, policies and the like of the test stay as
/// they are.
bool holds_in_child(const auto& predicate) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(predicate() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace bb::test
