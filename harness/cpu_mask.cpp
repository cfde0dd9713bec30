#include "harness/cpu_mask.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "harness/cpu_list.hpp"

namespace bb {
namespace {

class dynamic_mask {
 public:
  explicit dynamic_mask(unsigned cpus)
      : cpus_(cpus), set_(CPU_ALLOC(cpus), [](cpu_set_t* set) { CPU_FREE(set); }) {
    CPU_ZERO_S(bytes(), get());
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return CPU_ALLOC_SIZE(cpus_); }
  [[nodiscard]] cpu_set_t* get() noexcept { return set_.get(); }

  void add(unsigned cpu) { CPU_SET_S(cpu, bytes(), get()); }

  [[nodiscard]] std::vector<unsigned> members() {
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes(), get())) cpus.push_back(cpu);
    }
    return cpus;
  }

 private:
  unsigned cpus_;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set_;
};

}  // namespace

std::optional<std::vector<unsigned>> get_affinity(pid_t tid) {
  // The kernel wants room for all CPUs it could ever have and does not tell how many those are.
  for (unsigned room = 1024; room <= max_cpu_number + 1; room *= 2) {
    dynamic_mask mask(room);
    if (::sched_getaffinity(tid, mask.bytes(), mask.get()) == 0) return mask.members();
    if (errno != EINVAL) break;
  }
  return std::nullopt;
}

bool set_affinity(pid_t tid, const std::vector<unsigned>& cpus) {
  dynamic_mask mask(cpus.empty() ? 1 : *std::ranges::max_element(cpus) + 1);
  for (const unsigned cpu : cpus) mask.add(cpu);
  return ::sched_setaffinity(tid, mask.bytes(), mask.get()) == 0;
}

}  // namespace bb
