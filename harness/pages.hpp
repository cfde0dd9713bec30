#pragma once
// Memory of a workload's input, straight from the kernel, so that --thp means the same for every input and no
// allocator's habits enter a result.

#include <cstddef>
#include <span>

namespace bb {

/// Huge pages of inputs: as the system does by itself, never, or asked for (`bb run --thp system|off|on`).
enum class thp_policy { system, off, on };

/// Sets the policy of this process and its children. Called once, before any input is built.
void set_thp_policy(thp_policy policy);

/// A block of zeroed pages, freed with the object. Throws bb::input_error if the kernel has not got them.
class pages {
 public:
  explicit pages(std::size_t bytes);
  ~pages();
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bb
