#include "harness/bandwidth.hpp"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_mask.hpp"

namespace bb {
namespace {

constexpr std::size_t block_bytes = 64, block_words = block_bytes / sizeof(std::uint64_t);
constexpr std::size_t pass_bytes = std::size_t{64} << 20;

// What one thread reads, and what it found. Owned by its thread between two phases of the barrier,
// by the barrier's completion within one.
struct reader {
  unsigned cpu;
  std::span<const std::byte> part;
  bool bound = false;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t sum = 0;
};

// Whole blocks, as equal as they can be shared out.
std::vector<reader> share_out(std::span<const std::byte> memory, std::span<const unsigned> cpus) {
  const auto blocks = memory.size() / block_bytes;
  std::vector<reader> readers;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const auto first = blocks * i / cpus.size(), last = blocks * (i + 1) / cpus.size();
    readers.push_back({cpus[i], memory.subspan(first * block_bytes, (last - first) * block_bytes)});
  }
  return readers;
}

bool bind_to(unsigned cpu) {
  return set_affinity(0, {cpu}) && get_affinity(0) == std::vector<unsigned>{cpu};
}

// One measurement. The phases of the barrier: all threads bound, then the end of each pass; between
// two phases, at the completion, one thread alone decides for all whether there is another pass.
class measurement {
 public:
  measurement(std::vector<reader> readers, std::size_t rounds, const bandwidth_options& options)
      : readers_(std::move(readers)),
        rounds_(rounds),
        options_(options),
        barrier_(static_cast<std::ptrdiff_t>(readers_.size()), completion{this}) {}

  // The fastest pass in ns; 0 if a thread could not be started or bound.
  std::int64_t run() {
    std::vector<std::thread> threads;
    try {
      for (auto& r : readers_) threads.emplace_back(&measurement::read, this, std::ref(r));
    } catch (const std::system_error&) {  // those that did start must not wait for the others
      for (auto missing = readers_.size() - threads.size(); missing > 0; --missing)
        barrier_.arrive_and_drop();
    }
    for (auto& thread : threads) thread.join();
    return best_ns_;
  }

  unsigned passes() const { return passes_; }
  std::uint64_t sum() const {
    return std::accumulate(readers_.begin(), readers_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const reader& r) { return sum + r.sum; });
  }

 private:
  struct completion {
    measurement* whole;
    void operator()() noexcept { whole->phase_ended(); }
  };

  void read(reader& r) {
    r.bound = bind_to(r.cpu);
    for (barrier_.arrive_and_wait(); go_on_; barrier_.arrive_and_wait()) {
      r.begin_ns = now_ns();
      for (std::size_t i = 0; i < rounds_; ++i) {
        asm volatile("" ::: "memory");  // or the compiler may find that all rounds sum the same
        r.sum = sum_words(r.part);
      }
      r.end_ns = now_ns();
    }
  }

  void phase_ended() noexcept {
    if (begin_ns_ == 0) {
      begin_ns_ = now_ns();
      go_on_ =
          std::all_of(readers_.begin(), readers_.end(), [](const reader& r) { return r.bound; });
      return;
    }
    const auto first = std::ranges::min(readers_, {}, &reader::begin_ns).begin_ns;
    const auto last = std::ranges::max(readers_, {}, &reader::end_ns).end_ns;
    if (passes_ == 0 || last - first < best_ns_) best_ns_ = last - first;
    ++passes_;
    const bool in_time = static_cast<std::uint64_t>(last - begin_ns_) < options_.time_limit_ns;
    go_on_ = passes_ < options_.passes && in_time;
  }

  std::vector<reader> readers_;
  const std::size_t rounds_;
  const bandwidth_options options_;
  std::barrier<completion> barrier_;
  bool go_on_ = false;  // this and the following: written by the completion alone
  unsigned passes_ = 0;
  std::int64_t begin_ns_ = 0, best_ns_ = 0;
};

}  // namespace

[[gnu::noinline]] std::uint64_t sum_words(std::span<const std::byte> memory) noexcept {
  std::uint64_t sums[block_words] = {};
  const auto* at = memory.data();
  for (auto blocks = memory.size() / block_bytes; blocks > 0; --blocks, at += block_bytes) {
    std::uint64_t words[block_words];
    std::memcpy(words, at, block_bytes);
    for (std::size_t i = 0; i < block_words; ++i) sums[i] += words[i];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

std::optional<bandwidth> read_bandwidth(std::span<const std::byte> memory,
                                        std::span<const unsigned> cpus,
                                        const bandwidth_options& options) {
  const auto bytes = memory.size() / block_bytes * block_bytes;
  if (cpus.empty() || bytes / block_bytes < cpus.size()) return std::nullopt;
  const auto rounds = (pass_bytes + bytes - 1) / bytes;
  measurement m(share_out(memory, cpus), rounds, options);
  const auto best_ns = m.run();
  if (best_ns <= 0) return std::nullopt;
  const auto read = static_cast<double>(rounds) * static_cast<double>(bytes);
  return bandwidth{read / static_cast<double>(best_ns), m.passes(), m.sum()};
}

}  // namespace bb
