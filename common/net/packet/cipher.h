// Declares the two authenticated ciphers that connections need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/bytes.h"
#include "common/core/erase.h"

namespace orrery::net {

inline constexpr std::size_t kKeyBytes = 32;

// A secret key of either cipher. It is erased when its life ends.
struct Key : std::array<std::uint8_t, kKeyBytes> {
  Key() : array{} {}
  Key(const array& bytes) : array(bytes) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key() { erase_secret(*this); }
};
// The nonce of XChaCha20-Poly1305.
using TokenNonce = std::array<std::uint8_t, 24>;

// Size of the authentication tag that sealing appends to the text.
inline constexpr std::size_t kSealBytes = 16;
// The authentication tag of a sealed text.
using Seal = std::array<std::uint8_t, kSealBytes>;

// An interface to authenticated encryption with associated data (AEAD). Packets and challenges use
// ChaCha20-Poly1305 (RFC 8439); the nonce is four zero bytes and `sequence`. Connect tokens use
// XChaCha20-Poly1305 with a random nonce. The associated bytes are authenticated but are not part
// of the output.
class Cipher {
 public:
  virtual ~Cipher() = default;

  // Encrypts `text` and writes text.size() + kSealBytes bytes to `out`, which may be text.data().
  //
  // REQUIRES: the sequence or nonce was never used with this key before.
  virtual void seal(const Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
                    std::uint8_t* out) const = 0;
  virtual void seal(const Key& key, const TokenNonce& nonce, Bytes associated, Bytes text,
                    std::uint8_t* out) const = 0;

  // Decrypts `sealed` and writes sealed.size() - kSealBytes bytes to `out`. Returns false if
  // `sealed` was changed or is too short, or if key, nonce or associated bytes are not those used
  // to seal it. The bytes in `out` are then undefined.
  virtual bool open(const Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
                    std::uint8_t* out) const = 0;
  virtual bool open(const Key& key, const TokenNonce& nonce, Bytes associated, Bytes sealed,
                    std::uint8_t* out) const = 0;
};

}  // namespace orrery::net
