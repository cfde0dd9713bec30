#pragma once
// operation_core: one io_uring operation in flight.
//
//  owner      the worker on whose ring it was submitted. The submitting fiber stays there (bound) until it completes.
//  memory     the object and its buffer belong to the kernel from start until the completion is reaped.
//  cancel     anybody may ask, but only the owner may submit to its ring, so a request is a message. States of
//               `cancel_`: none -> queued   by the requester, who then posts the message queued -> taken  by the
//               owner, who submits the cancellation any -> closed    by the completion
//             A completion that finds `queued` leaves waking the waiters to the message, which is still on its way
//             and lies inside this object.
#include <atomic>
#include <cstdint>

#include "runtimes/fiber/detail/message.hpp"
#include "runtimes/fiber/waitable.hpp"

namespace fiber::detail {

struct control_block;

class operation_core : public waitable {
 public:
  // Owner, before the entry is submitted.
  void begin(worker& owner, control_block& submitter) noexcept;
  // Owner, from the completion. The last touch, unless a cancellation is under way.
  void complete(int result) noexcept;
  // Any thread, while the operation is alive. Returns at once.
  void request_cancel() noexcept;

  // The submitting fiber only: waits without the general machinery. The completion comes on the fiber's own worker,
  // where the fiber is bound, so that no other thread takes part and plain fields do.
  void wait_as_submitter() noexcept;
  bool is_submitter() const noexcept;

  int raw_result() const noexcept { return result_; }
  bool started() const noexcept { return owner_ != nullptr; }

 private:
  enum class cancel_state : std::uint8_t { none, queued, taken, closed };
  struct cancel_message : call_message {
    explicit cancel_message(operation_core& whose) noexcept;
    operation_core& target;
  };
  void cancel_arrived() noexcept;
  void finish() noexcept;

  worker* owner_ = nullptr;
  control_block* submitter_ = nullptr;
  control_block* sleeper_ = nullptr;  // the submitter, while it waits
  int result_ = 0;
  std::atomic<cancel_state> cancel_ = cancel_state::none;
  cancel_message message_{*this};
};

}  // namespace fiber::detail
