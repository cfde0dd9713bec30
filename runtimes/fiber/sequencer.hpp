#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "runtimes/fiber/detail/parker.hpp"

namespace fiber {

// Runs bodies one at a time, in order of arrival, without a lock that anybody waits in line for: who finds it free
// runs its own body and then those that arrived meanwhile, while their callers sleep (flat combining: Hendler, Incze,
// Shavit and Tzafrir, SPAA 2010). After `most_combined` foreign bodies the role passes to the next in line.
class sequencer {
 public:
  sequencer() = default;
  sequencer(const sequencer&) = delete;
  sequencer& operator=(const sequencer&) = delete;

  // Returns when `body()` has run, here or on the stack of another caller; its exception arrives here in any case.
  template <class Body>
  void run(Body&& body) {
    request mine;
    mine.argument = const_cast<void*>(static_cast<const void*>(std::addressof(body)));
    mine.call = [](void* argument) { (*static_cast<std::remove_reference_t<Body>*>(argument))(); };
    run_request(mine);
    if (mine.failure != nullptr) std::rethrow_exception(mine.failure);
  }

  static constexpr std::uint32_t most_combined = 64;

 private:
  // On the caller's stack.
  struct request {
    request* next = nullptr;
    void (*call)(void*) = nullptr;
    void* argument = nullptr;
    std::exception_ptr failure;
    request* rest = nullptr;  // handed over with the role: those to run after this one
    bool must_combine = false;
    detail::parker who;
    void execute() noexcept;
  };

  void run_request(request& mine) noexcept;
  bool enter(request& mine) noexcept;
  request* take_arrived() noexcept;
  void combine(request* line) noexcept;

  std::atomic<std::uintptr_t> word_ = 0;  // free | busy | newest request
};

}  // namespace fiber
