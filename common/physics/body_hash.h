// Owns the definition of the hash of one body, of which the state hash sums.
#pragma once

#include <bit>
#include <cstdint>

#include "common/physics/bodies.h"

namespace orrery {

// The state words w[0..12] of a body are taken as 64-bit integers. With
//   mixed(h) = g ^ g >> 32, g = h * kHashMultiplier
// the hash starts as h = (slot + 1) * kHashSeed + rotl(w[12], 11); then for i = 0, 3, 6, 9
//   h = mixed(((h ^ w[i]) + rotl(w[i+1], 24)) ^ rotl(w[i+2], 43))
// and at last h = mixed(h), so that what changes in the last words of two bodies cannot cancel in
// the sum. Each step is a bijection of h and of each word, so a change within one word always
// changes the hash. Three words share one 64-bit multiplication, the dearest operation of it.
inline constexpr std::uint64_t kHashMultiplier = 0x9FB21C651E98DF25ull;
inline constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ull;  // 2^64 / golden ratio
inline constexpr int kHashRotations[3] = {11, 24, 43};

// The scalar form, for reports on one body; physics/drift.cpp has the wide one.
inline std::uint64_t hash_body(const Bodies& bodies, std::uint32_t slot) {
  static_assert(kStateFields == 13);
  const auto rotated_word = [&](std::size_t f, int rotation) {
    return std::rotl(std::bit_cast<std::uint64_t>(bodies.at(static_cast<BodyField>(f), slot)),
                     rotation);
  };
  const auto mixed = [](std::uint64_t h) {
    h *= kHashMultiplier;
    return h ^ h >> 32;
  };
  std::uint64_t h = (slot + std::uint64_t{1}) * kHashSeed + rotated_word(12, kHashRotations[0]);
  for (std::size_t f = 0; f < 12; f += 3) {
    h = (h ^ rotated_word(f, 0)) + rotated_word(f + 1, kHashRotations[1]);
    h = mixed(h ^ rotated_word(f + 2, kHashRotations[2]));
  }
  return mixed(h);
}

}  // namespace orrery
