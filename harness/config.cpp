#include "harness/config.hpp"

namespace bb {

std::string arm_values::label() const {
  std::string text;
  for (const auto& [key, value] : items_) {
    if (!text.empty()) text += '+';
    text.append(key).append("=").append(value);
  }
  return text;
}

}  // namespace bb
