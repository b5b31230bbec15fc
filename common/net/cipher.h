// Owns what connections need of cryptography: two ciphers that seal bytes so that only who has the
// key can read or make them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/bytes.h"

namespace orrery {

using Key = std::array<std::uint8_t, 32>;
using TokenNonce = std::array<std::uint8_t, 24>;

// What sealing adds behind the text: the tag that tells whether anything was changed.
inline constexpr std::size_t kSealBytes = 16;
using Seal = std::array<std::uint8_t, kSealBytes>;

// ChaCha20-Poly1305 (RFC 8439) for packets, whose nonce is four zero bytes and `sequence`, and
// XChaCha20-Poly1305 for tokens, whose nonce is drawn at random. Under one key no sequence may come
// twice. What is associated is sealed with the text, but is not in the output.
class Cipher {
 public:
  virtual ~Cipher() = default;

  // Writes text.size() + kSealBytes bytes to `out`, which may be where the text is.
  virtual void seal(const Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
                    std::uint8_t* out) const = 0;
  virtual void seal(const Key& key, const TokenNonce& nonce, Bytes associated, Bytes text,
                    std::uint8_t* out) const = 0;

  // Writes sealed.size() - kSealBytes bytes to `out`. False if the bytes were not sealed with this
  // key, nonce and associated bytes: then what is in `out` means nothing.
  virtual bool open(const Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
                    std::uint8_t* out) const = 0;
  virtual bool open(const Key& key, const TokenNonce& nonce, Bytes associated, Bytes sealed,
                    std::uint8_t* out) const = 0;
};

}  // namespace orrery
