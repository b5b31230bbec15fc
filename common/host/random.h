// Owns randomness that nobody can guess, and the hash under a secret key.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/codec/message_codec.h"
#include "common/core/bytes.h"

namespace orrery {

void fill_random(std::span<std::uint8_t> bytes);
std::uint64_t random_u64();

// SipHash-2-4 of 128 bits, under a key drawn at construction and never told.
class KeyedHash {
 public:
  KeyedHash();
  message::Cookie operator()(Bytes bytes) const;

 private:
  std::array<std::uint8_t, 16> key_;
};

}  // namespace orrery
