#pragma once
// stack_pool: the stacks and control blocks of one scheduler, in one reserved range of addresses each.
//
//  threads    any; each worker keeps a cache of its own (block_cache) and comes here for batches, under a lock.
//  stacks     stack i occupies [base + i * stride, + stride): one guard page, then `stack_bytes`. Pages are touched
//             only when used. Nothing is unmapped before the pool goes.
//  guards     MADV_GUARD_INSTALL (Linux 6.13) where there is one: it splits no mapping, so 100,000 stacks need one
//             VMA. Else mprotect, two mappings per stack, which vm.max_map_count (65530) ends at about 32,000 stacks.
//  colour     the top of stack i lies colour_bytes * (i mod n) below the end, n chosen so that all tops stay within
//             one page. Without it all fibers compete for the same few sets of the L1 cache ("Stackful Coroutine Made
//             Fast", Li et al. 2024: 13 % load misses); measured here: 2.3 ns against 7.5 ns per yield of 64 fibers.
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtimes/fiber/detail/control_block.hpp"
#include "runtimes/fiber/options.hpp"

namespace fiber::detail {

struct stack_geometry {
  std::size_t stack_bytes = 64 * 1024;
  std::uint32_t max_fibers = 1u << 17;
  std::uint32_t color_bytes = 64;  // 0: no colour
  stack_guard guard = stack_guard::automatic;
};

class stack_pool {
 public:
  explicit stack_pool(const stack_geometry& geometry);  // throws fiber::error
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  // Up to `wanted` blocks as a chain; at least one, or throws fiber::error that says which limit was met.
  control_block* take(std::uint32_t wanted);
  // Gives a chain of blocks back.
  void give(control_block* first, control_block* last) noexcept;

  // Blocks made so far; block(i) is valid for i below it.
  std::uint32_t made() const noexcept { return made_; }
  control_block& block(std::uint32_t index) const noexcept { return blocks_[index]; }
  stack_guard guard() const noexcept { return geometry_.guard; }
  std::size_t stack_bytes() const noexcept { return geometry_.stack_bytes; }

  // The fiber in whose guard page `address` lies, or null. Async-signal-safe.
  const control_block* overflowed(const void* address) const noexcept;

 private:
  friend struct pool_registry;
  control_block* make_one();
  void install_guard(char* page);
  char* stack_base(std::uint32_t index) const noexcept { return base_ + index * stride_; }
  std::size_t color_of(std::uint32_t index) const noexcept;

  stack_geometry geometry_;
  std::size_t page_bytes_;
  std::size_t stride_;
  char* base_ = nullptr;
  control_block* blocks_ = nullptr;

  std::mutex lock_;
  control_block* free_ = nullptr;  // under lock_
  std::uint32_t made_ = 0;         // under lock_
  stack_pool* next_pool_ = nullptr;
};

// All pools of the process, for debuggers (gdb/fiber.py). Never read by the library.
extern stack_pool* all_pools;

// The free blocks of one worker: last in, first out, because the warmest stack is the last one left. Owner only.
class block_cache {
 public:
  explicit block_cache(stack_pool& pool) noexcept : pool_(pool) {}
  ~block_cache();

  control_block* take() {
    if (first_ == nullptr) refill();
    control_block* block = first_;
    first_ = static_cast<control_block*>(block->next);
    --count_;
    return block;
  }

  void give(control_block* block) noexcept {
    block->next = first_;
    first_ = block;
    if (++count_ > most) spill();
  }

 private:
  static constexpr std::uint32_t batch = 32;
  static constexpr std::uint32_t most = 256;

  void refill();
  void spill() noexcept;

  stack_pool& pool_;
  control_block* first_ = nullptr;
  std::uint32_t count_ = 0;
};

}  // namespace fiber::detail
