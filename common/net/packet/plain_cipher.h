// Implements a cipher without secrecy, for transports that protect their bytes by themselves.
#pragma once

#include <algorithm>

#include "common/core/assert.h"
#include "common/net/packet/cipher.h"

namespace orrery::net {

// A cipher that copies the text. Its seal is the first half of the key: it proves that the sender
// has the key, but anybody that reads a packet can forge others. Use it only over a connection that
// no third party can read or write, such as a WebSocket; never for UDP. The second half of the key
// remains secret.
class PlainCipher final : public Cipher {
 public:
  void seal(const Key& key, std::uint64_t, Bytes, Bytes text, std::uint8_t* out) const override {
    write(key, text, out);
  }
  void seal(const Key& key, const TokenNonce&, Bytes, Bytes text,
            std::uint8_t* out) const override {
    write(key, text, out);
  }
  bool open(const Key& key, std::uint64_t, Bytes, Bytes sealed, std::uint8_t* out) const override {
    return read(key, sealed, out);
  }
  bool open(const Key& key, const TokenNonce&, Bytes, Bytes sealed,
            std::uint8_t* out) const override {
    return read(key, sealed, out);
  }

 private:
  static void write(const Key& key, Bytes text, std::uint8_t* out) {
    std::copy(text.begin(), text.end(), out);
    std::copy_n(key.begin(), kSealBytes, out + text.size());
  }
  static bool read(const Key& key, Bytes sealed, std::uint8_t* out) {
    ORRERY_ASSERT(sealed.size() >= kSealBytes);
    const Bytes seal = sealed.last(kSealBytes);
    // The time does not depend on the bytes, so it says nothing about the key.
    int different = 0;
    for (std::size_t i = 0; i < kSealBytes; ++i) different |= seal[i] ^ key[i];
    const Bytes text = sealed.first(sealed.size() - kSealBytes);
    std::copy(text.begin(), text.end(), out);
    return different == 0;
  }
};

}  // namespace orrery::net
