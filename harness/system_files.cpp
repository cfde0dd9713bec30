#include "harness/system_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>

namespace bb {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text, std::string_view what) {
  const auto first = text.find_first_not_of(what);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(what) - first + 1);
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view word) {
  Number value{};
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

std::filesystem::path system_root::real(std::string_view path) const {
  return prefix_ / path.substr(path.find_first_not_of('/'));
}

std::optional<std::string> system_root::read(std::string_view path) const {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(real(path).c_str(), "re"),
                                                             &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> chunk{};
  std::size_t got = 0;
  while ((got = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0)
    text.append(chunk.data(), got);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

std::optional<std::int64_t> system_root::read_number(std::string_view path) const {
  const auto text = read(path);
  return text ? to_number(*text) : std::nullopt;
}

std::vector<std::string> system_root::list(std::string_view path) const {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(real(path), missing)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool system_root::exists(std::string_view path) const {
  std::error_code missing;
  return std::filesystem::exists(real(path), missing);
}

std::optional<std::string_view> find_field(std::string_view text, std::string_view key) {
  for (const auto line : split_lines(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon), blanks) != key) continue;
    return trimmed(line.substr(colon + 1), blanks);
  }
  return std::nullopt;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return words;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::int64_t> to_number(std::string_view word) {
  return parse_whole<std::int64_t>(word);
}
std::optional<double> to_real(std::string_view word) {
  const auto value = parse_whole<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace bb
