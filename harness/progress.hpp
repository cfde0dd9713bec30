#pragma once
// What a person sees on stderr while a run goes on.

#include <string>

namespace bb {

/// On a terminal one line that is written over; elsewhere a line per cell in the first round and one per round after,
/// so that a log shows first results early and stays short.
class progress {
 public:
  progress(bool quiet, bool terminal) : quiet_(quiet), terminal_(terminal) {}

  void show(const std::string& line);  // replaces the line before it on a terminal; else nothing
  void log(const std::string& line);   // elsewhere than on a terminal
  void clear();

 private:
  bool quiet_, terminal_;
  bool shown_ = false;
};

/// `1:05`, `2:03:00`.
std::string clock_text(double seconds);

/// True when stderr is a terminal that can move its cursor.
bool stderr_is_terminal();
/// True when this stream may have colours: a terminal, NO_COLOR unset, TERM not "dumb".
bool wants_colour(int fd);

}  // namespace bb
