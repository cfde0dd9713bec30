#pragma once
// Small text helpers that the standard library lacks.

#include <string>
#include <string_view>
#include <vector>

namespace bb {

/// The parts of `text` between `separator`s; "" has none, "a," has "a" and "".
std::vector<std::string> split(std::string_view text, char separator);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// unknown_name() of suggest.hpp for a list of strings.
std::string unknown_word(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace bb
