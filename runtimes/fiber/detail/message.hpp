#pragma once
// message: what can be handed to a worker. It hangs in exactly one list at a time: ready ring, inbox, steal slot,
// free list.
#include <cstdint>

namespace fiber::detail {

class worker;

enum class message_kind : std::uint8_t {
  fiber,  // a control_block to run
  call,   // a call_message: something that only the owner may do
};

struct message {
  message* next = nullptr;
  message_kind kind = message_kind::fiber;
};

struct call_message : message {
  using function = void (*)(worker& owner, call_message& self);
  explicit call_message(function body) noexcept : call(body) { kind = message_kind::call; }
  function call;
};

}  // namespace fiber::detail
