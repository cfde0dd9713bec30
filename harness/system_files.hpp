#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bb {

/// The small text files under /proc and /sys by which the kernel describes itself. All code that reads them takes a
/// `system_root`, so that a test can show it any machine by a folder of files.
/// A file that is missing, unreadable or refused is an ordinary answer here ("not known"), never an error: virtual
/// machines, containers and sandboxes lack many of them. Immutable; any thread may use it.
class system_root {
 public:
  system_root() = default;
  /// `prefix` stands for "/".
  explicit system_root(std::filesystem::path prefix) : prefix_(std::move(prefix)) {}

  /// The whole text without white space at its end. `path` is absolute: "/proc/loadavg".
  [[nodiscard]] std::optional<std::string> read(std::string_view path) const;

  /// The text if it is one whole decimal number.
  [[nodiscard]] std::optional<std::int64_t> read_number(std::string_view path) const;

  /// Names in a directory, sorted; empty when there is none.
  [[nodiscard]] std::vector<std::string> list(std::string_view path) const;

  [[nodiscard]] bool exists(std::string_view path) const;

 private:
  [[nodiscard]] std::filesystem::path real(std::string_view path) const;

  std::filesystem::path prefix_ = "/";
};

/// The value of `key` in lines of the form "key<blanks>:<blanks>value" (/proc/cpuinfo, /proc/meminfo,
/// /proc/self/status); of the first such line.
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view text,
                                                         std::string_view key);

/// Words of a line, separated by blanks or tabs.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view line);

/// Lines without their ends.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

/// One whole decimal number, else nothing. Independent of the locale.
[[nodiscard]] std::optional<std::int64_t> to_number(std::string_view word);
[[nodiscard]] std::optional<double> to_real(std::string_view word);

}  // namespace bb
