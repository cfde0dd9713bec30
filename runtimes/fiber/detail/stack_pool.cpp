#include "runtimes/fiber/detail/stack_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <mutex>
#include <string>

#include "runtimes/fiber/error.hpp"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102  // Linux 6.13
#endif

namespace fiber::detail {

namespace {

constexpr std::size_t smallest_stack_bytes = 8 * 1024;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

char* reserve(std::size_t bytes, const char* what) {
  void* range = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw error("cannot reserve " + std::to_string(bytes >> 20) + " MiB of addresses for " + what +
                ": " + errno_name(errno) +
                "; lower options.max_fibers or options.stack_bytes, or lift `ulimit -v` and " +
                "vm.overcommit_memory=2");
  }
  // A huge page would make the first touch of one stack cost the memory of thirty. Kernels without them answer
  // EINVAL.
  ::madvise(range, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(range);
}

[[noreturn]] void throw_no_guard(int number, std::uint32_t made) {
  std::string text =
      "cannot protect the stack of fiber " + std::to_string(made) + ": " + errno_name(number);
  if (number == ENOMEM) {
    std::string limit = "?";
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    text += "; each mprotect guard costs two mappings and vm.max_map_count is " + limit +
            ": raise it (sysctl -w vm.max_map_count=1048576), use a kernel >= 6.13, or "
            "options.guard = none";
  }
  throw error(text);
}

stack_guard best_guard(char* page, std::size_t page_bytes) noexcept {
  return ::madvise(page, page_bytes, MADV_GUARD_INSTALL) == 0 ? stack_guard::madvise
                                                              : stack_guard::mprotect;
}

}  // namespace

stack_pool* all_pools = nullptr;

struct pool_registry {
  static void add(stack_pool& pool) {
    const std::lock_guard hold(guard);
    pool.next_pool_ = all_pools;
    all_pools = &pool;
  }
  static void remove(stack_pool& pool) {
    const std::lock_guard hold(guard);
    stack_pool** link = &all_pools;
    while (*link != &pool) link = &(*link)->next_pool_;
    *link = pool.next_pool_;
  }

 private:
  static inline std::mutex guard;
};

stack_pool::stack_pool(const stack_geometry& geometry)
    : geometry_(geometry), page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
  if (geometry_.max_fibers == 0) throw error("options.max_fibers is 0; it must be at least 1");
  if (geometry_.stack_bytes < smallest_stack_bytes) {
    throw error("options.stack_bytes is " + std::to_string(geometry_.stack_bytes) +
                "; at least 8192 are needed, and 65536 if signals may be handled on the stack");
  }
  if (geometry_.color_bytes % 16 != 0) throw error("options.stack_color must be a multiple of 16");
  geometry_.stack_bytes = round_up(geometry_.stack_bytes, page_bytes_);
  stride_ = geometry_.stack_bytes + page_bytes_;
  base_ = reserve(stride_ * geometry_.max_fibers, "stacks");
  try {
    blocks_ = reinterpret_cast<control_block*>(
        reserve(sizeof(control_block) * geometry_.max_fibers, "fibers"));
  } catch (...) {
    ::munmap(base_, stride_ * geometry_.max_fibers);
    throw;
  }
  if (geometry_.guard == stack_guard::automatic) geometry_.guard = best_guard(base_, page_bytes_);
  pool_registry::add(*this);
}

stack_pool::~stack_pool() {
  pool_registry::remove(*this);
  for (std::uint32_t i = 0; i < made_; ++i) {
    sanitizer_unpoison(base_ + i * stride_ + page_bytes_, geometry_.stack_bytes);
  }
  ::munmap(blocks_, sizeof(control_block) * geometry_.max_fibers);
  ::munmap(base_, stride_ * geometry_.max_fibers);
}

std::size_t stack_pool::color_of(std::uint32_t index) const noexcept {
  if (geometry_.color_bytes == 0) return 0;
  const std::size_t colors = page_bytes_ / geometry_.color_bytes;
  return colors == 0 ? 0 : geometry_.color_bytes * (index % colors);
}

void stack_pool::install_guard(char* page) {
  int failed = 0;
  if (geometry_.guard == stack_guard::madvise)
    failed = ::madvise(page, page_bytes_, MADV_GUARD_INSTALL);
  if (geometry_.guard == stack_guard::mprotect) failed = ::mprotect(page, page_bytes_, PROT_NONE);
  if (failed != 0) throw_no_guard(errno, made_);
}

control_block* stack_pool::make_one() {
  char* guard_page = stack_base(made_);
  install_guard(guard_page);
  control_block* block = new (&blocks_[made_]) control_block{};
  block->id = made_;
  block->sanitizer = {nullptr, guard_page + page_bytes_, geometry_.stack_bytes};
  block->stack_top = guard_page + stride_ - color_of(made_);
  ++made_;
  return block;
}

control_block* stack_pool::take(std::uint32_t wanted) {
  std::lock_guard hold(lock_);
  control_block* chain = nullptr;
  for (; wanted > 0 && free_ != nullptr; --wanted) {
    control_block* block = free_;
    free_ = static_cast<control_block*>(block->next);
    block->next = chain;
    chain = block;
  }
  // Fresh stacks only if there was none: memory once touched stays resident, so it is used again first.
  for (wanted = chain == nullptr ? wanted : 0; wanted > 0 && made_ < geometry_.max_fibers;
       --wanted) {
    if (chain != nullptr && geometry_.guard == stack_guard::mprotect)
      break;  // its failure must not lose the chain
    control_block* block = make_one();
    block->next = chain;
    chain = block;
  }
  if (chain == nullptr) {
    throw error("all " + std::to_string(geometry_.max_fibers) +
                " fibers are in use; raise options.max_fibers");
  }
  return chain;
}

void stack_pool::give(control_block* first, control_block* last) noexcept {
  std::lock_guard hold(lock_);
  last->next = free_;
  free_ = first;
}

const control_block* stack_pool::overflowed(const void* address) const noexcept {
  const auto* at = static_cast<const char*>(address);
  if (at < base_ || at >= base_ + stride_ * geometry_.max_fibers) return nullptr;
  const auto offset = static_cast<std::size_t>(at - base_);
  return offset % stride_ < page_bytes_ ? &blocks_[offset / stride_] : nullptr;
}

block_cache::~block_cache() {
  while (first_ != nullptr) {
    control_block* block = first_;
    first_ = static_cast<control_block*>(block->next);
    pool_.give(block, block);
  }
}

void block_cache::refill() {
  first_ = pool_.take(batch);
  count_ = 0;
  for (message* block = first_; block != nullptr; block = block->next) ++count_;
}

void block_cache::spill() noexcept {
  control_block* first = first_;
  control_block* last = first;
  for (std::uint32_t i = 1; i < most / 2; ++i) last = static_cast<control_block*>(last->next);
  first_ = static_cast<control_block*>(last->next);
  count_ -= most / 2;
  pool_.give(first, last);
}

}  // namespace fiber::detail
