// Owns the definition of the hash of one body, of which the state hash sums.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "common/physics/body/bodies.h"

namespace orrery::physics {

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

using StateWords = std::array<std::uint64_t, kStateFields>;

inline StateWords state_words(const Bodies& bodies, std::uint32_t slot) {
  StateWords words{};
  for (std::size_t f = 0; f < kStateFields; ++f) {
    words[f] = std::bit_cast<std::uint64_t>(bodies.at(static_cast<BodyField>(f), slot));
  }
  return words;
}

constexpr std::uint64_t mixed_hash(std::uint64_t h) {
  h *= kHashMultiplier;
  return h ^ h >> 32;
}

// What the hash of a body starts as.
constexpr std::uint64_t hash_start(const StateWords& w, std::uint32_t slot) {
  static_assert(kStateFields == 13);
  return (slot + std::uint64_t{1}) * kHashSeed + std::rotl(w[12], kHashRotations[0]);
}

// Takes in w[i], w[i+1] and w[i+2].
constexpr std::uint64_t add_words(const StateWords& w, std::size_t i, std::uint64_t h) {
  h = (h ^ w[i]) + std::rotl(w[i + 1], kHashRotations[1]);
  return mixed_hash(h ^ std::rotl(w[i + 2], kHashRotations[2]));
}

// The scalar form, for reports on one body; physics/motion/drift.cpp has the wide one.
constexpr std::uint64_t hash_state_words(const StateWords& w, std::uint32_t slot) {
  std::uint64_t h = hash_start(w, slot);
  for (std::size_t i = 0; i < 12; i += 3) h = add_words(w, i, h);
  return mixed_hash(h);
}

inline std::uint64_t hash_body(const Bodies& bodies, std::uint32_t slot) {
  return hash_state_words(state_words(bodies, slot), slot);
}

}  // namespace orrery::physics
