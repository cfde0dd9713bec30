#pragma once
// Errors of the caller's program, not of its input: one sentence on stderr, then abort.

namespace fiber::detail {

[[noreturn]] void misuse(const char* sentence) noexcept;

}  // namespace fiber::detail
