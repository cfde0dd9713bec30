#pragma once
// The read-bandwidth ceiling: how fast these CPUs can read this memory when they do nothing else. A
// workload that streams its input is judged against it, on the same input, in the same run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace bb {

struct bandwidth_options {
  unsigned passes = 5;                        // the fastest counts; one is made in any case
  std::uint64_t time_limit_ns = 500'000'000;  // no pass begins later than this
};

struct bandwidth {
  double gb_per_s;    // 1e9 bytes per second, all CPUs together, in the fastest pass
  unsigned passes;    // made within the time limit
  std::uint64_t sum;  // of the 8-byte words of the memory: proof that all of it was read
};

/// Reads `memory` with one thread per CPU number, each bound to its CPU and reading a part of its
/// own, all beginning at once. A pass lasts from the first start to the last end; it reads the
/// memory once, or as often as makes 64 MiB, so memory that fits into a cache gives the cache's
/// bandwidth. Only whole blocks of 64 bytes are read. Pages must have been touched before, or their
/// faults are measured.
///
/// Nothing if there is no CPU, there are fewer blocks than CPUs, or a thread cannot be started or
/// bound (its CPU is not allowed, or not there). Starts threads and waits for them; any thread.
std::optional<bandwidth> read_bandwidth(std::span<const std::byte> memory,
                                        std::span<const unsigned> cpus,
                                        const bandwidth_options& options = {});

/// The sum, modulo 2^64, of the 8-byte words in the whole 64-byte blocks of `memory`. The read loop
/// itself: eight sums that do not wait for one another, in a form that compilers vectorise.
std::uint64_t sum_words(std::span<const std::byte> memory) noexcept;

}  // namespace bb
