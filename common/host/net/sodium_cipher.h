// A cipher with libsodium.
#pragma once

#include "common/net/packet/cipher.h"

namespace orrery::host {

// Seals tokens, challenges, and the packets of UDP connections. Packets over a WebSocket use
// PlainCipher. It has no state; net/packet/cipher.h describes the functions.
class SodiumCipher final : public net::Cipher {
 public:
  void seal(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
            std::uint8_t* out) const override;
  void seal(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes text,
            std::uint8_t* out) const override;
  bool open(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override;
  bool open(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override;
};

}  // namespace orrery::host
