#include "harness/config.hpp"

#include <charconv>

namespace bb {

std::uint64_t arm_values::number(std::string_view key, std::uint64_t otherwise) const {
  const std::string_view text = get(key);
  std::uint64_t n = otherwise;
  if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

bool arm_values::on(std::string_view key, bool otherwise) const {
  const std::string_view text = get(key);
  return text.empty() ? otherwise : text == "on";
}

std::string arm_values::label() const {
  std::string text;
  for (const auto& [key, value] : items_) {
    if (!text.empty()) text += '+';
    text.append(key).append("=").append(value);
  }
  return text;
}

}  // namespace bb
