#pragma once
// control_block: everything the runtime knows of one fiber, three cache lines, apart from its stack.
//
//  owner      the worker `home`; other threads touch a block only through the inbox, the steal slot or a parked word,
//             each of which hands the whole block over.
//  layout     line 0 is all that a yield touches. The size is an odd number of cache lines, so that the first lines
//             of consecutive blocks spread over all sets of the L1 cache.
//  lifetime   blocks are made once per stack and live as long as their pool.
#include <cstdint>

#include "runtimes/fiber/detail/message.hpp"
#include "runtimes/fiber/detail/park_word.hpp"
#include "runtimes/fiber/detail/sleep_tree.hpp"
#include "runtimes/fiber/detail/strand.hpp"

namespace fiber::detail {

class worker;

// For people and debuggers: maintained at suspensions, not at yields.
enum class fiber_state : std::uint8_t { unused, runnable, parked };

struct alignas(64) control_block : strand, message, sleep_node {
  // --- line 0: strand, message. Line 1: sleep_node and
  worker* home = nullptr;                  // runs it, or ran it last
  basic_park_word<>* parked_on = nullptr;  // while parked with a deadline
  fiber_state state = fiber_state::unused;
  std::uint32_t bound =
      0;  // reasons to stay on `home`: operations in flight, a deadline, placement
  // --- line 2
  void (*run)(void* closure) = nullptr;  // runs and destroys the closure
  void* closure = nullptr;
  void* stack_top = nullptr;  // coloured; the closure lies just below
  const char* name = nullptr;
  std::uint32_t id = 0;          // index in the pool
  std::uint32_t generation = 0;  // times this block was started
};

static_assert(sizeof(context) + sizeof(sanitizer_state) + sizeof(message) <= 64,
              "a yield must touch one line only");
static_assert(sizeof(control_block) == 3 * 64,
              "an odd number of lines: blocks must spread over all cache sets");

}  // namespace fiber::detail
