// Cryptographic random numbers, and a hash with a secret key.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/core/bytes.h"

namespace orrery::host {

// Fill memory with, or return, random bits that nobody can guess.
void fill_random(std::span<std::uint8_t> bytes);
std::uint64_t random_u64();

// A SipHash-2-4 function with a random key, made at construction and never revealed.
class KeyedHash {
 public:
  KeyedHash();
  std::uint64_t operator()(Bytes bytes) const;

 private:
  std::array<std::uint8_t, 16> key_;
};

}  // namespace orrery::host
