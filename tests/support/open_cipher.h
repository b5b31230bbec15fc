// Implements a cipher without encryption, for tests that need its sizes and its checks but no
// secrecy.
#pragma once

#include <algorithm>

#include "common/core/hash.h"
#include "common/net/packet/cipher.h"

namespace orrery::test {

// A cipher that copies the text and appends a checksum over everything that a seal protects.
class OpenCipher final : public net::Cipher {
 public:
  void seal(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    write(checksum(key, sequence), associated, text, out);
  }
  void seal(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    write(checksum(key, checksum(nonce)), associated, text, out);
  }
  bool open(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override {
    return read(checksum(key, sequence), associated, sealed, out);
  }
  bool open(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override {
    return read(checksum(key, checksum(nonce)), associated, sealed, out);
  }

 private:
  static void write(std::uint64_t seed, Bytes associated, Bytes text, std::uint8_t* out) {
    const std::uint64_t tag = checksum(text, checksum(associated, seed));
    std::copy(text.begin(), text.end(), out);
    store_little_endian<8>(out + text.size(), tag);
    store_little_endian<8>(out + text.size() + 8, mix64(tag));
  }
  static bool read(std::uint64_t seed, Bytes associated, Bytes sealed, std::uint8_t* out) {
    const Bytes text = sealed.first(sealed.size() - net::kSealBytes);
    const std::uint64_t tag = checksum(text, checksum(associated, seed));
    std::copy(text.begin(), text.end(), out);
    // Compare only with zero. Fuzzers watch the operands of comparisons and would learn the tag.
    const std::uint64_t first = load_little_endian<8>(sealed.data() + text.size()) ^ tag;
    const std::uint64_t second =
        load_little_endian<8>(sealed.data() + text.size() + 8) ^ mix64(tag);
    return (first | second) == 0;
  }
};

}  // namespace orrery::test
