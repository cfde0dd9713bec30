#pragma once
// Writing results so that nothing is lost: never half a file, never a device replaced, every error reported.

#include <memory>
#include <string>
#include <string_view>

namespace bb {

/// A destination named on the command line: a regular file, a device or FIFO, or "-" for stdout.
/// The constructor refuses at once, with output_error (exit 6), what could not be written at the end of a long run.
class output_file {
 public:
  explicit output_file(std::string path);

  /// True for a regular file, which may be written again and again: each write replaces it whole (temporary file,
  /// fsync, rename; symbolic links followed, mode kept). Other destinations are written once, at the end.
  bool rewritable() const { return rewritable_; }
  bool is_stdout() const;
  /// Equal for two names of one file; never equal for devices such as /dev/null, which take everything.
  std::string identity() const;
  const std::string& path() const { return path_; }

  /// Throws output_error with the cause.
  void write(std::string_view text) const;

 private:
  void replace(std::string_view text) const;
  void stream(std::string_view text) const;

  std::string path_;    // as named
  std::string target_;  // symbolic links followed
  bool rewritable_ = false;
  std::shared_ptr<const int>
      fifo_;  // opened at once: without a reader that blocks, and then nothing is lost by it
};

}  // namespace bb
