#include "region.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace heartbeat::detail {

region_block::region_block(std::size_t count) : size_(count * region_size) {
  if (count == 0) return;
  const std::size_t wide =
      size_ + region_size;  // so that an aligned part of the size wanted lies in it
  void* const start = mmap(nullptr, wide, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    throw std::system_error(
        errno, std::generic_category(),
        "heartbeat: cannot reserve " + std::to_string(wide >> 20) +
            " MiB of address space for the workers; raise the limit (ulimit -v) or use fewer");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = (region_size - address % region_size) % region_size;
  base_ = static_cast<std::byte*>(start) + before;
  if (before != 0) munmap(start, before);
  munmap(base_ + size_, region_size - before);
  // A worker uses a page or two; a huge page for each would only be zeroed for nothing.
  madvise(base_, size_, MADV_NOHUGEPAGE);
}

region_block::~region_block() {
  if (base_ != nullptr) munmap(base_, size_);
}

}  // namespace heartbeat::detail
