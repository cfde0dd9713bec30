#include "runtimes/fiber/detail/strand.hpp"

#include <cxxabi.h>
#include <pthread.h>

#include "runtimes/fiber/detail/exception_state.hpp"

namespace fiber::detail {

[[gnu::noinline]] exception_state* thread_exception_state() noexcept {
  return reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
}

void sanitizer_adopt_thread(sanitizer_state& state) noexcept {
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
  state = {nullptr, bottom, bytes};
#if defined(BB_FIBER_TSAN)
  state.handle = __tsan_get_current_fiber();
#endif
}

}  // namespace fiber::detail
