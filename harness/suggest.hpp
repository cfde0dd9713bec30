#pragma once
// "unknown workload 'tre'; did you mean 'tree'? known: tree, fork, grain"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bb {

/// The number of single-character insertions, deletions, replacements and swaps of neighbours that
/// turn one word into the other, no substring edited twice ("optimal string alignment" distance).
/// ASCII case is ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `name`, the first one of several; nothing if all are too far to be a
/// slip of the fingers (more than a third of the longer word). A word that begins with `name` (two
/// characters at least) is near.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> known);

/// The sentence above. `kind` is the noun: "workload", "option", "unit".
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known);

}  // namespace bb
