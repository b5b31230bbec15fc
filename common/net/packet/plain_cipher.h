// Implements a cipher without secrecy, for transports that protect their bytes by themselves.
#pragma once

#include <algorithm>

#include "common/core/assert.h"
#include "common/net/packet/cipher.h"

namespace orrery::net {

// A cipher that copies the text, and appends a seal of zeros. Anybody can forge its packets. Use it
// only over a connection that no third party can write to, such as a WebSocket; never for UDP.
class PlainCipher final : public Cipher {
 public:
  void seal(const Key&, std::uint64_t, Bytes, Bytes text, std::uint8_t* out) const override {
    write(text, out);
  }
  void seal(const Key&, const TokenNonce&, Bytes, Bytes text, std::uint8_t* out) const override {
    write(text, out);
  }
  bool open(const Key&, std::uint64_t, Bytes, Bytes sealed, std::uint8_t* out) const override {
    return read(sealed, out);
  }
  bool open(const Key&, const TokenNonce&, Bytes, Bytes sealed, std::uint8_t* out) const override {
    return read(sealed, out);
  }

 private:
  static void write(Bytes text, std::uint8_t* out) {
    std::copy(text.begin(), text.end(), out);
    std::fill_n(out + text.size(), kSealBytes, std::uint8_t{0});
  }
  static bool read(Bytes sealed, std::uint8_t* out) {
    ORRERY_ASSERT(sealed.size() >= kSealBytes);
    const Bytes text = sealed.first(sealed.size() - kSealBytes);
    std::copy(text.begin(), text.end(), out);
    const Bytes seal = sealed.last(kSealBytes);
    return std::all_of(seal.begin(), seal.end(), [](std::uint8_t byte) { return byte == 0; });
  }
};

}  // namespace orrery::net
