// Job: a promoted entry, i.e. a right branch that any worker may run. It carries the result back.
//
// Owner: the worker that promoted it; it allocates the job, and alone recycles it, at the join.
// States: offered (in the owner's slot) -> running (taken by a thief, or taken back) -> done ->
// recycled. Invariant `last touch`: whoever runs the job touches it no more once `done` is visible.
// `value` and `error` belong to the runner until then, to the owner after.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "entry.hpp"
#include "platform.hpp"

namespace heartbeat::detail {

struct job {
  void (*function)(job&, context) noexcept = nullptr;
  std::uint64_t argument = 0;
  worker* owner = nullptr;
  job* next_free = nullptr;
  void* value = nullptr;
  std::exception_ptr error;
  os_platform::word<bool> done{false};
  alignas(std::max_align_t) std::byte room[64];  // results up to this size need no heap
};

// What a branch's result is kept as: a reference as a pointer, anything else as it is.
template <class T>
using kept = std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, T>;

template <class T>
inline constexpr bool has_room = sizeof(T) <= sizeof(job::room) &&
                                 alignof(T) <= alignof(std::max_align_t);

template <class T>
void* allocate_result(job& j) {
  if constexpr (has_room<T>) {
    return j.room;
  } else {
    return ::operator new (sizeof(T), std::align_val_t{alignof(T)});
  }
}

template <class T>
void free_result(job& j) noexcept {
  if constexpr (!has_room<T>) ::operator delete (j.value, std::align_val_t{alignof(T)});
  j.value = nullptr;
}

void recycle(job& j) noexcept;

// Destroys the result, if there is one, and gives the job back.
template <class Result>
struct job_end {
  job& j;
  ~job_end() {
    if constexpr (!std::is_void_v<Result>) {
      if (j.value != nullptr) {
        std::destroy_at(static_cast<kept<Result>*>(j.value));
        free_result<kept<Result>>(j);
      }
    }
    recycle(j);
  }
};

// The result of a job that is done, moved out; or its exception, rethrown. The job is recycled.
template <class Result>
Result take_result(job& j) {
  const job_end<Result> end{j};
  if (j.error) [[unlikely]]
    std::rethrow_exception(std::exchange(j.error, nullptr));
  if constexpr (std::is_reference_v<Result>) {
    return static_cast<Result>(**static_cast<kept<Result>*>(j.value));
  } else if constexpr (!std::is_void_v<Result>) {
    return std::move(*static_cast<Result*>(j.value));
  }
}

}  // namespace heartbeat::detail
