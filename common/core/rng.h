// Seeded random number generators. None is global: each belongs to the state of its user.
#pragma once

#include <cstdint>

#include "common/core/assert.h"

namespace orrery {

// A generator for scripts of scenes, simulated networks, test clients, tests and the client in a
// web page: SplitMix64 (Steele, Lea, Flood 2014).
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  // Returns 64 random bits.
  constexpr std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }

  // Returns an integer from 0 to bound - 1. REQUIRES: bound >= 1.
  constexpr std::uint32_t below(std::uint32_t bound) {
    ORRERY_ASSERT(bound >= 1);
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

  // Returns a number in [-1, 1).
  constexpr double symmetric() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

 private:
  std::uint64_t state_;
};

// The generator of the built-in scenes: a 64-bit linear congruential generator with Knuth's MMIX
// constants. Every scene starts from the same seed.
class SceneRandom {
 public:
  // Returns a number in [-1, 1), made from the top 24 bits of the new state.
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 40) / 0x1p24 * 2 - 1;
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

}  // namespace orrery
