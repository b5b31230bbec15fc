// Two hashes: a 64-bit mixer for state hashes, and XXH3 for checksums of records and images.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>

#include "common/core/bytes.h"

namespace orrery {

// Mixes 64 bits so that every input bit affects every output bit. This is the finaliser of
// MurmurHash3 (Appleby, public domain).
constexpr std::uint64_t mix64(std::uint64_t h) {
  h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDull;
  h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53ull;
  return h ^ h >> 33;
}

// Returns the XXH3-64 hash of the bytes; it is the same on every machine. It detects accidental
// damage, but not forgery.
inline std::uint64_t checksum(Bytes data, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(data.data(), data.size(), seed);
}

}  // namespace orrery
