#include "harness/suggest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace bb {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) { return lower(a) == lower(b); }

bool begins_with(std::string_view word, std::string_view beginning) {
  return beginning.size() >= 2 && word.size() > beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), word.begin(), same);
}

// Smaller is nearer. A beginning counts as one slip, however much is missing.
std::size_t score(std::string_view name, std::string_view word) {
  return begins_with(word, name) ? 1 : edit_distance(name, word);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> known) {
  std::optional<std::string_view> best;
  std::size_t best_score = 0;
  for (const auto word : known) {
    const auto distance = score(name, word);
    const auto allowed = std::max<std::size_t>(1, std::max(name.size(), word.size()) / 3);
    const bool replaces_all = distance >= std::max(name.size(), word.size());
    if (distance > allowed || replaces_all || (best && distance >= best_score)) continue;
    best = word;
    best_score = distance;
  }
  return best;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known) {
  auto sentence = fmt::format("unknown {} '{}'", kind, name);
  if (const auto near = nearest(name, known))
    sentence += fmt::format("; did you mean '{}'?", *near);
  else
    sentence += ';';
  if (known.empty()) return sentence + " none are known";
  sentence += " known: ";
  for (const auto& word : known) sentence.append(word).append(&word == &known.back() ? "" : ", ");
  return sentence;
}

}  // namespace bb
