#include "runtimes/fiber/detail/operation.hpp"

#include <utility>

#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/detail/worker.hpp"

namespace fiber::detail {

operation_core::cancel_message::cancel_message(operation_core& whose) noexcept
    : call_message([](worker&, call_message& self) {
        static_cast<cancel_message&>(self).target.cancel_arrived();
      }),
      target(whose) {}

void operation_core::begin(worker& owner, control_block& submitter) noexcept {
  set_undone();
  owner_ = &owner;
  submitter_ = &submitter;
  ++submitter.bound;
  cancel_.store(cancel_state::none,
                std::memory_order_relaxed);  // relaxed: nobody else knows the operation yet
  sanitizer_release(this);
}

void operation_core::complete(int result) noexcept {
  sanitizer_acquire(this);
  result_ = result;
  --submitter_->bound;
  // ORDER(fiber.cancel) acq_rel: release keeps result_ before `closed`; acquire pairs with the release in
  //   request_cancel(). without: a requester could post its message into an object that is gone.
  if (cancel_.exchange(cancel_state::closed, std::memory_order_acq_rel) == cancel_state::queued)
    return;
  finish();
}

void operation_core::finish() noexcept {
  control_block* sleeper = std::exchange(sleeper_, nullptr);  // before the last touch
  worker& owner = *owner_;
  set_done();
  if (sleeper != nullptr) owner.push(*sleeper);
}

bool operation_core::is_submitter() const noexcept {
  worker* here = this_worker();
  return here != nullptr && here->running() == submitter_;
}

void operation_core::wait_as_submitter() noexcept {
  if (done()) return;
  sleeper_ = submitter_;
  owner_->suspend(nullptr, nullptr);  // nothing to publish: the completion cannot come before
}

void operation_core::request_cancel() noexcept {
  cancel_state expected = cancel_state::none;
  // ORDER(fiber.cancel) acq_rel: pairs with complete() and cancel_arrived().
  if (!cancel_.compare_exchange_strong(expected, cancel_state::queued, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
    return;  // asked already, or completed
  }
  if (owner_ == this_worker()) {
    cancel_arrived();
  } else {
    owner_->post(message_);
  }
}

void operation_core::cancel_arrived() noexcept {
  cancel_state expected = cancel_state::queued;
  // ORDER(fiber.cancel) acq_rel: pairs with request_cancel() and complete().
  if (!cancel_.compare_exchange_strong(expected, cancel_state::taken, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
    finish();  // it completed while the message was on its way
    return;
  }
  io_uring_sqe* filled = owner_->entry();
  ::io_uring_prep_cancel64(filled, tagged(this, completion_tag::operation), 0);
  filled->user_data = tagged(nullptr, completion_tag::ignored);
  owner_->entry_filled();
}

}  // namespace fiber::detail
