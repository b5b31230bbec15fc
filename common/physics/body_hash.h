// Owns the definition of the hash of one body, of which the state hash sums.
#pragma once

#include <bit>
#include <cstdint>

#include "common/physics/bodies.h"

namespace orrery {

// The state words w[0..12] of a body, as 64-bit integers, go three at a time (past the end: 0)
// through
//   h = ((h ^ w[i]) + rotl(w[i+1], 24)) ^ rotl(w[i+2], 43);  h = h * kHashMultiplier;  h ^= h >> 32
// from h = (slot + 1) * kHashSeed. Each step is a bijection of h and of each word, so a change
// within one word always changes the hash. Three words share one 64-bit multiplication, the dearest
// operation of it.
inline constexpr std::uint64_t kHashMultiplier = 0x9FB21C651E98DF25ull;
inline constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ull;  // 2^64 / golden ratio
inline constexpr int kHashRotation1 = 24;
inline constexpr int kHashRotation2 = 43;

// The scalar form, for reports on one body; physics/drift.cpp has the wide one.
inline std::uint64_t hash_body(const Bodies& bodies, std::uint32_t slot) {
  const auto word = [&](std::size_t f) {
    if (f >= kStateFields) return std::uint64_t{0};
    return std::bit_cast<std::uint64_t>(bodies.at(static_cast<BodyField>(f), slot));
  };
  std::uint64_t h = (slot + std::uint64_t{1}) * kHashSeed;
  for (std::size_t f = 0; f < kStateFields; f += 3) {
    h = (h ^ word(f)) + std::rotl(word(f + 1), kHashRotation1);
    h = (h ^ std::rotl(word(f + 2), kHashRotation2)) * kHashMultiplier;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace orrery
