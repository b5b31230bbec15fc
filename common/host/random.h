// Owns randomness that nobody can guess, and the hash under a secret key.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/core/bytes.h"

namespace orrery {

void fill_random(std::span<std::uint8_t> bytes);
std::uint64_t random_u64();

// SipHash-2-4, under a key drawn at construction and never told.
class KeyedHash {
 public:
  KeyedHash();
  std::uint64_t operator()(Bytes bytes) const;

 private:
  std::array<std::uint8_t, 16> key_;
};

}  // namespace orrery
