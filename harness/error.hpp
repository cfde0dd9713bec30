#pragma once

#include <stdexcept>
#include <string>

namespace bb {

/// An error that ends the program with one sentence on stderr: what is wrong, the likely cause, and what would do.
/// `main` prints `what()` and exits with `exit_code()`; nothing else of the harness chooses an exit code for an error.
class error : public std::runtime_error {
 public:
  error(int exit_code, const std::string& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}

  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// The command line asks for something that does not exist or cannot be. Exit code 2.
class usage_error : public error {
 public:
  explicit usage_error(const std::string& sentence) : error(2, sentence) {}
};

/// A file or another input is missing, unreadable, or not what it should be. Exit code 3.
class input_error : public error {
 public:
  explicit input_error(const std::string& sentence) : error(3, sentence) {}
};

/// A result could not be written whole. Exit code 6.
class output_error : public error {
 public:
  explicit output_error(const std::string& sentence) : error(6, sentence) {}
};

/// A runtime cannot do what the cell asks (it ran out of threads, say) and knows it: the cell is did_not_finish with
/// this sentence. Thrown by runtimes, and by the trial of a run too slow for its budget.
class cannot_finish : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bb
