#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bb {

/// Lists of CPU (or NUMA node) numbers as `taskset -c` and the kernel write them: "0-3,8,16-30:2".

/// Numbers above this are refused: the kernel itself stops far below, and "0-4294967295" must not
/// eat the memory.
inline constexpr unsigned max_cpu_number = 65535;

/// The numbers in the order written. Refuses, by a usage_error that names the wrong part: anything
/// that is not a number, a range `a-b` or a stride `a-b:s`; reversed ranges; a stride of 0; numbers
/// above `max_cpu_number`; a number that stands twice; an empty list.
[[nodiscard]] std::vector<unsigned> parse_cpu_list(std::string_view text);

/// The same for a list that the kernel wrote (trailing newline allowed): empty on anything
/// unexpected, never throws.
[[nodiscard]] std::vector<unsigned> read_cpu_list(std::string_view text) noexcept;

/// Sorted, without duplicates, runs joined: {8,0,1,2} becomes "0-2,8". An empty list gives "".
[[nodiscard]] std::string format_cpu_list(std::vector<unsigned> cpus);

}  // namespace bb
