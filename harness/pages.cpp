#include "harness/pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "harness/error.hpp"
#include "harness/units.hpp"

namespace bb {
namespace {
thp_policy policy_now = thp_policy::system;
}

void set_thp_policy(thp_policy policy) {
  policy_now = policy;
  if (policy == thp_policy::off) prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

pages::pages(std::size_t bytes) : size_(bytes == 0 ? 1 : bytes) {
  void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw input_error(fmt::format("not enough memory: the input needs {}; choose a smaller size",
                                  format_bytes(size_)));
  if (policy_now == thp_policy::on) madvise(p, size_, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(p);
}

pages::~pages() { munmap(data_, size_); }

}  // namespace bb
