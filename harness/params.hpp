#pragma once
// Parameters of a workload: how it declares them, and the values that one cell has.
//
// Glossary
//   param_spec   a declaration: name, kind, what is allowed, the values of a smoke and of a full run
//   value        one number (a size, a count) or one word (a choice)
//   values       the named values of one cell, in the order in which its workload declares them

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bb {

using value = std::variant<std::int64_t, std::string>;

/// How a value is written for a person: `100M`, `preorder`.
std::string to_text(const value& v);

/// One parameter of a workload. Each becomes the option `--name LIST` of `bb run`.
struct param_spec {
  enum class kind { count, bytes, choice };
  std::string_view name;
  std::string_view help;  // one line
  kind what = kind::count;
  std::string_view choices = {};  // the allowed words, comma-separated; for kind::choice alone
  std::string_view smoke = {};    // value list of a smoke run, in command-line syntax
  std::string_view full = {};     // value list of a normal run
  std::int64_t min = 1;
  std::int64_t max = std::int64_t{1} << 40;
  bool of_input = true;  // false: cells that differ in it alone can share an input
};

/// The named values of one cell.
class values {
 public:
  void set(std::string_view name, value v);
  const value* find(std::string_view name) const;

  /// The number of that name. Asking for a name or kind that the workload did not declare is a programming error.
  std::int64_t number(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  /// `size=1K layout=preorder`: equal for equal values, so it also serves as a key.
  std::string label() const;

  const std::vector<std::pair<std::string, value>>& all() const { return items_; }
  bool operator==(const values&) const = default;

 private:
  std::vector<std::pair<std::string, value>> items_;
};

/// The list that a person wrote for one parameter (`1K,100M`, `preorder,shuffled`).
/// Throws usage_error that names the wrong part and the values that would do.
std::vector<value> parse_values(const param_spec& spec, std::string_view text);

/// All combinations of `lists[i]` for `specs[i]`, the first parameter varying slowest.
std::vector<values> combinations(std::span<const param_spec> specs,
                                 const std::vector<std::vector<value>>& lists);

nlohmann::ordered_json to_json(const values& v);
values values_from_json(const nlohmann::ordered_json& j);

}  // namespace bb
