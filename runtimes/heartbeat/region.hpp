// Region: reserved address space for one worker, aligned to its size. Pages become memory when they
// are first used.
#pragma once
#include <cstddef>

#include "entry.hpp"

namespace heartbeat::detail {

// `count` regions in a row. Throws std::system_error.
class region_block {
 public:
  explicit region_block(std::size_t count);
  ~region_block();
  region_block(const region_block&) = delete;
  region_block& operator=(const region_block&) = delete;

  std::byte* operator[](std::size_t index) const noexcept { return base_ + index * region_size; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_;
};

}  // namespace heartbeat::detail
