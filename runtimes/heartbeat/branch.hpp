// Branch: the right side of a fork as an entry keeps it, and as a job runs it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "context.hpp"
#include "job.hpp"

namespace heartbeat::detail {

// Runs `branch` and keeps what it returns or throws.
template <class Branch>
void run_into(job& j, Branch&& branch, context c) noexcept {
  using result = std::invoke_result_t<Branch, context>;
  try {
    if constexpr (std::is_void_v<result>) {
      std::forward<Branch>(branch)(c);
    } else {
      using stored = kept<result>;
      j.value = allocate_result<stored>(j);
      try {
        if constexpr (std::is_reference_v<result>) {
          ::new (j.value) stored(std::addressof(std::forward<Branch>(branch)(c)));
        } else {
          ::new (j.value) stored(std::forward<Branch>(branch)(c));
        }
      } catch (...) {
        free_result<stored>(j);
        throw;
      }
    }
  } catch (...) {
    j.error = std::current_exception();
  }
}

// A branch that fits into the entry is copied there; of any other the entry has the address, in the
// frame of its fork_join. So small captures never need an address and stay in registers.
template <class Branch>
concept by_value = std::is_trivially_copyable_v<Branch> && sizeof(Branch) <= sizeof(std::uint64_t);

template <class Branch>
void run_branch(job& j, context c) noexcept {
  using callable = std::remove_reference_t<Branch>;
  if constexpr (by_value<callable>) {
    alignas(callable) std::byte copy[sizeof(callable)];
    std::memcpy(copy, &j.argument, sizeof(callable));
    run_into(j, static_cast<Branch&&>(*std::launder(reinterpret_cast<callable*>(copy))), c);
  } else {
    run_into(j, static_cast<Branch&&>(*reinterpret_cast<callable*>(j.argument)), c);
  }
}

template <class Branch>
[[gnu::always_inline]] inline void open(entry* tail, Branch&& branch) noexcept {
  using callable = std::remove_reference_t<Branch>;
  tail->function = &run_branch<Branch&&>;
  if constexpr (!by_value<callable>) {
    tail->argument = reinterpret_cast<std::uint64_t>(std::addressof(branch));
  } else if constexpr (!std::is_empty_v<callable>) {
    std::memcpy(&tail->argument, std::addressof(branch), sizeof(callable));
  }
}

}  // namespace heartbeat::detail
