// Generates random numbers and keyed hashes with libsodium.
#include "common/host/process/random.h"

#include <sodium.h>

#include "common/core/assert.h"

namespace orrery::host {

void fill_random(std::span<std::uint8_t> bytes) {
  ORRERY_ASSERT(sodium_init() >= 0);  // fails only if the kernel has no randomness
  randombytes_buf(bytes.data(), bytes.size());
}

std::uint64_t random_u64() {
  std::array<std::uint8_t, 8> bytes;
  fill_random(bytes);
  return ByteReader(bytes).u64();
}

KeyedHash::KeyedHash() {
  static_assert(crypto_shorthash_KEYBYTES == 16 && crypto_shorthash_BYTES == 8);
  fill_random(key_);
}

std::uint64_t KeyedHash::operator()(Bytes bytes) const {
  std::array<std::uint8_t, crypto_shorthash_BYTES> hash;
  crypto_shorthash(hash.data(), bytes.data(), bytes.size(), key_.data());
  return ByteReader(hash).u64();
}

}  // namespace orrery::host
