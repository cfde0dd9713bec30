#pragma once
// What AddressSanitizer and ThreadSanitizer must be told about stacks that change under them. Empty in other builds.
//
// Order matters (google/sanitizers#189, Tencent/flare#197): `leave` is the last thing before the jump and is inlined
// into the function that jumps, or ThreadSanitizer's shadow stack would be popped on the wrong side; `arrive` is the
// first thing after it.
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define BB_FIBER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define BB_FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BB_FIBER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define BB_FIBER_TSAN 1
#endif
#endif

#if defined(BB_FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(BB_FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace fiber::detail {

// Present in all builds, so that the layout of a fiber does not depend on flags.
struct sanitizer_state {
  void* handle;  // fake stack (address) or fiber (thread sanitizer)
  const void* stack_bottom;
  std::size_t stack_bytes;
};

enum class departure { will_return, final };

[[gnu::always_inline]] inline void sanitizer_leave([[maybe_unused]] sanitizer_state& from,
                                                   [[maybe_unused]] const sanitizer_state& to,
                                                   [[maybe_unused]] departure kind) noexcept {
#if defined(BB_FIBER_ASAN)
  // On the final departure a null pointer frees the fake stack.
  __sanitizer_start_switch_fiber(kind == departure::final ? nullptr : &from.handle, to.stack_bottom,
                                 to.stack_bytes);
#elif defined(BB_FIBER_TSAN)
  __tsan_switch_to_fiber(to.handle, 0);
#endif
}

[[gnu::always_inline]] inline void sanitizer_arrive(
    [[maybe_unused]] sanitizer_state& self) noexcept {
#if defined(BB_FIBER_ASAN)
  __sanitizer_finish_switch_fiber(self.handle, nullptr, nullptr);
#endif
}

// Before stacks are unmapped: the addresses may serve somebody else.
inline void sanitizer_unpoison([[maybe_unused]] const void* bottom,
                               [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(BB_FIBER_ASAN)
  __asan_unpoison_memory_region(bottom, bytes);
#endif
}

// Once, before the first arrival on a stack: earlier users may have left it poisoned.
inline void sanitizer_create([[maybe_unused]] sanitizer_state& state) noexcept {
#if defined(BB_FIBER_ASAN)
  state.handle = nullptr;
  sanitizer_unpoison(state.stack_bottom, state.stack_bytes);
#elif defined(BB_FIBER_TSAN)
  state.handle = __tsan_create_fiber(0);
#endif
}

// Once, after the last departure, from another stack.
inline void sanitizer_destroy([[maybe_unused]] sanitizer_state& state) noexcept {
#if defined(BB_FIBER_TSAN)
  __tsan_destroy_fiber(state.handle);
  state.handle = nullptr;
#endif
}

// For a context that is a thread's own stack.
void sanitizer_adopt_thread(sanitizer_state& state) noexcept;

// Hand-over through the kernel, which ThreadSanitizer cannot see.
inline void sanitizer_release([[maybe_unused]] void* address) noexcept {
#if defined(BB_FIBER_TSAN)
  __tsan_release(address);
#endif
}
inline void sanitizer_acquire([[maybe_unused]] void* address) noexcept {
#if defined(BB_FIBER_TSAN)
  __tsan_acquire(address);
#endif
}

}  // namespace fiber::detail
