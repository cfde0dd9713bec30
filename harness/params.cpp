#include "harness/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/error.hpp"
#include "harness/text.hpp"
#include "harness/units.hpp"

namespace bb {

std::string to_text(const value& v) {
  if (const auto* word = std::get_if<std::string>(&v)) return *word;
  return format_count(static_cast<std::uint64_t>(std::get<std::int64_t>(v)));
}

void values::set(std::string_view name, value v) {
  for (auto& [n, old] : items_)
    if (n == name) {
      old = std::move(v);
      return;
    }
  items_.emplace_back(name, std::move(v));
}

const value* values::find(std::string_view name) const {
  for (const auto& [n, v] : items_)
    if (n == name) return &v;
  return nullptr;
}

std::int64_t values::number(std::string_view name) const {
  const value* v = find(name);
  if (v == nullptr) throw std::logic_error(fmt::format("no parameter '{}'", name));
  return std::get<std::int64_t>(*v);
}

const std::string& values::word(std::string_view name) const {
  const value* v = find(name);
  if (v == nullptr) throw std::logic_error(fmt::format("no parameter '{}'", name));
  return std::get<std::string>(*v);
}

std::string values::label() const {
  std::string text;
  for (const auto& [name, v] : items_)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(v));
  return text;
}

namespace {

std::vector<value> parse_choices(const param_spec& spec, std::string_view text) {
  const auto allowed = split(spec.choices, ',');
  std::vector<value> out;
  for (const auto& word : split(text, ',')) {
    if (std::find(allowed.begin(), allowed.end(), word) == allowed.end())
      throw usage_error(fmt::format("--{}: {}", spec.name, unknown_word("value", word, allowed)));
    if (value v = word; std::find(out.begin(), out.end(), v) == out.end())
      out.push_back(std::move(v));
  }
  return out;
}

std::vector<value> parse_numbers(const param_spec& spec, std::string_view text) {
  const std::string option = fmt::format("--{}", spec.name);
  const list_rules rules{.option = option,
                         .least = static_cast<std::uint64_t>(spec.min),
                         .limit = static_cast<std::uint64_t>(spec.max),
                         .suffixes = true};
  std::vector<value> out;
  for (const std::uint64_t n : parse_list(text, rules).values)
    out.emplace_back(std::in_place_type<std::int64_t>, static_cast<std::int64_t>(n));
  return out;
}

}  // namespace

std::vector<value> parse_values(const param_spec& spec, std::string_view text) {
  if (text.empty())
    throw usage_error(fmt::format("--{} is empty; leave it out, or give a list", spec.name));

  return spec.what == param_spec::kind::choice ? parse_choices(spec, text)
                                               : parse_numbers(spec, text);
}

std::vector<values> combinations(std::span<const param_spec> specs,
                                 const std::vector<std::vector<value>>& lists) {
  std::vector<values> out{values{}};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::vector<values> longer;
    for (const auto& base : out)
      for (const auto& v : lists[i]) {
        longer.push_back(base);
        longer.back().set(specs[i].name, v);
      }
    out = std::move(longer);
  }
  return out;
}

nlohmann::ordered_json to_json(const values& v) {
  auto j = nlohmann::ordered_json::object();
  for (const auto& [name, item] : v.all()) std::visit([&](const auto& x) { j[name] = x; }, item);
  return j;
}

values values_from_json(const nlohmann::ordered_json& j) {
  values v;
  for (const auto& [name, item] : j.items()) {
    if (item.is_number_integer()) v.set(name, item.get<std::int64_t>());
    if (item.is_string()) v.set(name, item.get<std::string>());
  }
  return v;
}

}  // namespace bb
