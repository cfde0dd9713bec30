#include "runtimes/fiber/detail/overflow.hpp"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <mutex>

#include "runtimes/fiber/detail/stack_pool.hpp"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace fiber::detail {

namespace {

// Read by the signal handler, so a fixed table of atomics; more pools than slots go without a report.
constexpr std::size_t most_pools = 64;
std::atomic<const stack_pool*> watched_pools[most_pools];
struct sigaction previous_action;

// snprintf is not async-signal-safe.
class signal_safe_text {
 public:
  signal_safe_text& operator<<(const char* text) noexcept {
    while (*text != '\0' && end_ < buffer_ + sizeof buffer_) *end_++ = *text++;
    return *this;
  }
  signal_safe_text& operator<<(std::size_t number) noexcept {
    end_ = std::to_chars(end_, buffer_ + sizeof buffer_, number).ptr;
    return *this;
  }
  void print() noexcept {
    [[maybe_unused]] const auto written =
        ::write(STDERR_FILENO, buffer_, static_cast<std::size_t>(end_ - buffer_));
  }

 private:
  char buffer_[512];
  char* end_ = buffer_;
};

void report(const stack_pool& pool, const control_block& block, const void* address) noexcept {
  const auto depth = static_cast<const char*>(block.stack_top) - static_cast<const char*>(address);
  signal_safe_text text;
  text << "fiber: stack overflow in fiber " << block.id;
  if (block.name != nullptr) text << " (" << block.name << ")";
  text << " at a depth of " << static_cast<std::size_t>(depth) << " bytes; its stack has "
       << pool.stack_bytes()
       << ": raise options.stack_bytes, or look for deep recursion and large local arrays\n";
  text.print();
}

void pass_on(int number, siginfo_t* info, void* frame) noexcept {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(number, info, frame);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    ::signal(number, SIG_DFL);  // the faulting instruction runs again and dies with a core dump
  } else {
    previous_action.sa_handler(number);
  }
}

void on_fault(int number, siginfo_t* info, void* frame) noexcept {
  for (const auto& slot : watched_pools) {
    // ORDER(fiber.pools) acquire: pairs with the release in overflow_report(); the pool is fully made.
    const stack_pool* pool = slot.load(std::memory_order_acquire);
    const control_block* block = pool == nullptr ? nullptr : pool->overflowed(info->si_addr);
    if (block != nullptr) report(*pool, *block, info->si_addr);
  }
  pass_on(number, info, frame);
}

void install_handler() noexcept {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &previous_action);
  });
}

}  // namespace

overflow_report::overflow_report(const stack_pool& pool, bool enabled) noexcept
    : pool_(enabled ? &pool : nullptr) {
  if (pool_ == nullptr) return;
  install_handler();
  for (auto& slot : watched_pools) {
    const stack_pool* expected = nullptr;
    // ORDER(fiber.pools) release: pairs with the acquire in on_fault().
    if (slot.compare_exchange_strong(expected, pool_, std::memory_order_release,
                                     std::memory_order_relaxed))
      return;
  }
}

overflow_report::~overflow_report() {
  for (auto& slot : watched_pools) {
    const stack_pool* expected = pool_;
    // relaxed: whoever still reads the pool is a fiber of it, and there are none left.
    if (pool_ != nullptr &&
        slot.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed))
      return;
  }
}

signal_stack::signal_stack(bool enabled) noexcept {
  stack_t old{};
  if (!enabled || (::sigaltstack(nullptr, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0)) return;
  // The frame grows with the vector registers of the processor (AMX: over 8 KiB), so the constant SIGSTKSZ is too
  // small.
  bytes_ = std::max<std::size_t>(64 * 1024, 4 * ::getauxval(AT_MINSIGSTKSZ));
  base_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base_ == MAP_FAILED) {
    base_ = nullptr;
    return;
  }
  stack_t stack{};
  stack.ss_sp = base_;
  stack.ss_size = bytes_;
  ::sigaltstack(&stack, nullptr);
}

signal_stack::~signal_stack() {
  if (base_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
  ::munmap(base_, bytes_);
}

}  // namespace fiber::detail
