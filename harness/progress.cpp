#include "harness/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bb {
namespace {

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb";
}

std::size_t terminal_width() {
  winsize w{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

}  // namespace

void progress::show(const std::string& line) {
  if (quiet_ || !terminal_) return;
  // A line that wraps could not be written over.
  std::fprintf(stderr, "\r\x1b[K%s", line.substr(0, terminal_width() - 1).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void progress::log(const std::string& line) {
  if (quiet_ || terminal_) return;
  std::fprintf(stderr, "%s\n", line.c_str());
}

void progress::clear() {
  if (shown_) std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0 && !dumb_terminal(); }

bool wants_colour(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(fd) != 0 && !dumb_terminal() && (no_color == nullptr || *no_color == '\0');
}

}  // namespace bb
