#pragma once
// The process of one round and one input: builds the input, stays single-threaded, starts no runtime, and forks one
// child per cell. Its job comes as JSON on file descriptor 3, its events go out as JSON lines on 4, each answered
// with one byte when the driver is done with it:
//   {"cell": index, "outcome": {...}}   one per cell, as soon as it is there
//   {"ceiling": {...}}                  the read bandwidth of one set of PUs
//   {"error": "..."}                    the input could not be made; nothing follows

#include "harness/registry.hpp"

namespace bb {

inline constexpr const char* round_verb = "__round";

int round_main(const registry& table);

}  // namespace bb
