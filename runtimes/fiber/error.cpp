#include "runtimes/fiber/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtimes/fiber/detail/misuse.hpp"

namespace fiber {

std::string errno_name(int number) {
  if (number < 0) number = -number;
  const char* name = ::strerrorname_np(number);
  const char* text = ::strerrordesc_np(number);
  if (name == nullptr) return "errno " + std::to_string(number);
  return std::string(name) + " (" + text + ")";
}

namespace detail {

void misuse(const char* sentence) noexcept {
  std::fprintf(stderr, "fiber: %s\n", sentence);
  std::abort();
}

}  // namespace detail
}  // namespace fiber
