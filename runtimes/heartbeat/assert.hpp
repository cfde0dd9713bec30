// Debug assertions: active unless NDEBUG, each with a sentence that names the likely mistake.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace heartbeat::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void assertion_failed(const char* sentence) noexcept {
  std::fprintf(stderr, "heartbeat: %s\n", sentence);
  std::abort();
}

#ifdef NDEBUG
constexpr bool checked = false;
#else
constexpr bool checked = true;
#endif

// A function, not a macro: the condition must be free of side effects and is optimised away under
// NDEBUG.
[[gnu::always_inline]] inline void require(bool holds, const char* sentence) noexcept {
  if constexpr (checked) {
    if (!holds) [[unlikely]]
      assertion_failed(sentence);
  }
}

}  // namespace heartbeat::detail
