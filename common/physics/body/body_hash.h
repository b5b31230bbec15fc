// Defines the hash of one body. The state hash includes the sum of the hashes of all bodies.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "common/physics/body/bodies.h"

namespace orrery::physics {

// The hash reads the state words w[0..12] of a body as 64-bit integers. With
//
//   mixed(h) = g ^ (g >> 32), g = h * kHashMultiplier
//
// it computes
//
//   h = (slot + 1) * kHashSeed + rotl(w[12], 11)
//   h = mixed(((h ^ w[i]) + rotl(w[i+1], 24)) ^ rotl(w[i+2], 43))   for i = 0, 3, 6, 9
//   h = mixed(h)
//
// rotl rotates bits to the left. The last mixed() keeps changes in the last words of two bodies
// from cancelling in the sum over bodies. Each step is a bijection of h and of each word, so a
// change of a single word always changes the hash. The 64-bit multiplication is the most expensive
// operation, so there is only one for every three words.
inline constexpr std::uint64_t kHashMultiplier = 0x9FB21C651E98DF25ull;
inline constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ull;  // 2^64 / golden ratio
inline constexpr int kHashRotations[3] = {11, 24, 43};

// The state fields of a body as raw 64-bit words, in the order of BodyField.
using StateWords = std::array<std::uint64_t, kStateFields>;

// Returns the state words of the body in a slot.
inline StateWords state_words(const Bodies& bodies, std::uint32_t slot) {
  StateWords words{};
  for (std::size_t f = 0; f < kStateFields; ++f) {
    words[f] = std::bit_cast<std::uint64_t>(bodies.at(static_cast<BodyField>(f), slot));
  }
  return words;
}

// Mixes the bits of h: the function mixed() above.
constexpr std::uint64_t mixed_hash(std::uint64_t h) {
  h *= kHashMultiplier;
  return h ^ h >> 32;
}

// Returns the initial value of h.
constexpr std::uint64_t hash_start(const StateWords& w, std::uint32_t slot) {
  static_assert(kStateFields == 13);
  return (slot + std::uint64_t{1}) * kHashSeed + std::rotl(w[12], kHashRotations[0]);
}

// Mixes w[i], w[i+1] and w[i+2] into h.
constexpr std::uint64_t add_words(const StateWords& w, std::size_t i, std::uint64_t h) {
  h = (h ^ w[i]) + std::rotl(w[i + 1], kHashRotations[1]);
  return mixed_hash(h ^ std::rotl(w[i + 2], kHashRotations[2]));
}

// Returns the hash of a body from its state words. Reports on one body use this scalar form;
// physics/motion/drift.cpp has the vector form.
constexpr std::uint64_t hash_state_words(const StateWords& w, std::uint32_t slot) {
  std::uint64_t h = hash_start(w, slot);
  for (std::size_t i = 0; i < 12; i += 3) h = add_words(w, i, h);
  return mixed_hash(h);
}

// Returns the hash of the body in a slot.
inline std::uint64_t hash_body(const Bodies& bodies, std::uint32_t slot) {
  return hash_state_words(state_words(bodies, slot), slot);
}

}  // namespace orrery::physics
