// Entry: one fork that is open, as seen by the worker that owns it. Context: where the next entry
// goes.
//
// A worker owns an array of entries inside a region of memory aligned to its own size; the worker
// itself lies at the region's base. So one pointer, the address of the next free entry, is all the
// context that a task needs: the worker is found by masking it. (A struct of two pointers by value
// makes g++ 12 store it in two halves and load it as one, a failed store forward worth 9 ns per
// fork.)
#pragma once
#include <cstddef>
#include <cstdint>

namespace heartbeat {
class context;
}

namespace heartbeat::detail {

struct job;
struct worker;

// States of an entry at index i of a worker with the head index h:
//   free      i >= every context in use. Contents are meaningless.
//   open      h <= i: `argument` is the right branch itself, or its address in the frame of its
//   fork_join. promoted  i < h: `argument` is the address of its job, which has taken over function
//   and argument.
struct entry {
  void (*function)(job&, context) noexcept;
  std::uint64_t argument;
};
static_assert(sizeof(entry) == 16);

inline constexpr std::size_t region_size = std::size_t{1} << 20;

inline worker* worker_of(const entry* tail) noexcept {
  return reinterpret_cast<worker*>(reinterpret_cast<std::uintptr_t>(tail) & ~(region_size - 1));
}

}  // namespace heartbeat::detail
