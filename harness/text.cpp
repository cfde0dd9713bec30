#include "harness/text.hpp"

#include "harness/suggest.hpp"

namespace bb {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string unknown_word(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known) {
  const std::vector<std::string_view> words(known.begin(), known.end());
  return unknown_name(kind, name, words);
}

}  // namespace bb
