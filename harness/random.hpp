#pragma once
// A small, fast, seeded source of random numbers whose sequence is the same with every compiler and
// library: a plan or an interval is reproduced from its seed alone. Not for secrets.

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace bb {

/// SplitMix64 (Steele, Lea and Flood 2014; constants of S. Vigna's public-domain version): one step
/// of a sequence that turns any seed, 0 included, into well mixed bits.
constexpr std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// xoshiro256++ 1.0 (D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators",
/// 2019; public domain). One owner; copy it to fork the sequence. Also a standard uniform random
/// bit generator.
class random_source {
 public:
  using result_type = std::uint64_t;

  explicit constexpr random_source(std::uint64_t seed) noexcept {
    for (auto& word : state_) word = splitmix64(seed);
  }

  constexpr std::uint64_t operator()() noexcept {
    auto& s = state_;
    const auto result = std::rotl(s[0] + s[3], 23) + s[0];
    const auto shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = std::rotl(s[3], 45);
    return result;
  }

  static constexpr std::uint64_t min() noexcept { return 0; }
  static constexpr std::uint64_t max() noexcept { return ~std::uint64_t{0}; }

  /// Uniform in [0, bound), without bias; 0 for bound 0. (D. Lemire, "Fast random integer
  /// generation in an interval", 2019: the high half of a product, its low half tells when to draw
  /// again.)
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    auto product = static_cast<wide>((*this)()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const auto least = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < least)
        product = static_cast<wide>((*this)()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [0, 1): the 53 bits that a double holds.
  constexpr double unit() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  /// Puts the items in random order, every order equally likely (Fisher and Yates).
  template <class T>
  constexpr void shuffle(std::span<T> items) noexcept {
    for (auto left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  __extension__ using wide = unsigned __int128;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace bb
