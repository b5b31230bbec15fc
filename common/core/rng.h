// Owns the seeded generators. None of them is global: each lives in the state of whoever draws.
#pragma once

#include <cstdint>

#include "common/core/assert.h"

namespace orrery {

// SplitMix64 (Steele, Lea, Flood 2014): for test clients and simulated networks.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }

  // Below `bound`, which is at least 1.
  constexpr std::uint32_t below(std::uint32_t bound) {
    ORRERY_ASSERT(bound >= 1);
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

  // In [-1, 1).
  constexpr double symmetric() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

 private:
  std::uint64_t state_;
};

// The generator of the benchmark scenes: a 64-bit linear congruential one (Knuth's MMIX constants),
// of which the top 24 bits of the new state become a number in [-1, 1).
class SceneDraw {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 40) / 0x1p24 * 2 - 1;
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

}  // namespace orrery
