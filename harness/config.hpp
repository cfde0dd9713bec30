#pragma once
// What the harness hands to a runtime when it builds it, inside a trial.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bb {

/// Options of an arm (`tbb/cutoff=10000` has {{"cutoff", "10000"}}); empty for the default arm.
class arm_values {
 public:
  arm_values() = default;
  explicit arm_values(std::vector<std::pair<std::string, std::string>> items)
      : items_(std::move(items)) {}

  /// The value of `key`, or `otherwise`.
  std::string_view get(std::string_view key, std::string_view otherwise = "") const {
    for (const auto& [name, text] : items_)
      if (name == key) return text;
    return otherwise;
  }
  // Inline, so that a module (harness/module.hpp) needs nothing of the harness but headers.
  std::uint64_t number(std::string_view key, std::uint64_t otherwise) const {
    const std::string_view text = get(key);
    std::uint64_t n = otherwise;
    if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
  }
  bool on(std::string_view key, bool otherwise) const {
    const std::string_view text = get(key);
    return text.empty() ? otherwise : text == "on";
  }

  /// `key=value+key=value`, "" for the default arm.
  std::string label() const;

  const std::vector<std::pair<std::string, std::string>>& all() const { return items_; }
  bool operator==(const arm_values&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

/// Where workers sit. Every worker of every runtime calls sit() once, from its own thread, before it takes work.
class seating {
 public:
  virtual ~seating() = default;
  /// Binds the calling thread to the place planned for `worker` (0-based) and records what the kernel made of it.
  /// Any thread; never throws.
  virtual void sit(unsigned worker) const = 0;
};

/// Given to a runtime's constructor. A runtime has started all its workers, and each has sat, when its constructor
/// returns: a cell whose distinct threads or PUs are fewer than asked fails.
struct config {
  unsigned threads = 1;  // workers, the thread that calls run() included
  const seating* seats = nullptr;
  arm_values arm;

  void sit(unsigned worker) const {
    if (seats != nullptr) seats->sit(worker);
  }
};

}  // namespace bb
