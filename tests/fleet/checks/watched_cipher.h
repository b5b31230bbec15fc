// Checks that no nonce is used twice with the same key.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/core/hash.h"
#include "common/net/packet/cipher.h"
#include "common/net/packet/packet.h"
#include "tests/fleet/held_memory.h"

namespace orrery::fleet {

// The nonces of all connections of a run.
struct UsedNonces {
  // description of the first repeated nonce, or empty
  std::string repeated;
  // lowest sequence that is still unused; indexed by a hash of the key and of the handshake bit
  std::unordered_map<std::uint64_t, std::uint64_t> next_sealed;
  // indexed by a hash of the key, then by sequence; true: accepted
  std::unordered_map<std::uint64_t, std::vector<bool>> opened_packets;
  std::unordered_set<std::uint64_t> sealed_tokens;  // hashes of key and nonce
};

// A cipher that records the nonces it is used with. Every sender counts up, so a lower sequence may
// be a repeated one. Sequences from 2^63 on belong to the handshake and are counted separately.
class WatchedCipher final : public net::Cipher {
 public:
  // REQUIRES: `cipher` and `used` outlive this object.
  WatchedCipher(const net::Cipher& cipher, UsedNonces& used) : cipher_(cipher), used_(used) {}

  void seal(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    mark_sealed(key, sequence);
    cipher_.seal(key, sequence, associated, text, out);
  }
  void seal(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    mark_token(key, nonce);
    cipher_.seal(key, nonce, associated, text, out);
  }
  bool open(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override {
    if (!cipher_.open(key, sequence, associated, sealed, out)) return false;
    if (is_of_connection(associated)) mark_opened(key, sequence);
    return true;
  }
  bool open(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override {
    return cipher_.open(key, nonce, associated, sealed, out);
  }

 private:
  // Returns true for packets of a connection. Packets of the handshake may repeat. The packet type
  // is in the last byte of the associated data.
  static bool is_of_connection(Bytes associated) {
    return !associated.empty() &&
           (associated.back() & 0xf) >= static_cast<int>(net::PacketType::keep_alive);
  }
  void mark_sealed(const net::Key& key, std::uint64_t sequence) const {
    const CountsAsTest not_of_the_server;
    std::uint64_t& next = used_.next_sealed[checksum(key, sequence >> 63)];
    if (sequence < next) note("was sealed", sequence);
    next = sequence + 1;
  }
  void mark_opened(const net::Key& key, std::uint64_t sequence) const {
    const CountsAsTest not_of_the_server;
    constexpr std::uint64_t kSequencesMax = 1 << 24;  // more than a run sends
    std::vector<bool>& opened = used_.opened_packets[checksum(key)];
    if (sequence >= kSequencesMax) return note("was opened and never sealed", sequence);
    if (sequence >= opened.size()) opened.resize(sequence + sequence / 2 + 64);
    if (opened[sequence]) note("was accepted", sequence);
    opened[sequence] = true;
  }
  // Checks the nonce of a token when it is sealed. Opening is not checked, as clients repeat
  // requests. A token that admits two clients is found by its packets: both would seal the same
  // sequences with the same keys.
  void mark_token(const net::Key& key, const net::TokenNonce& nonce) const {
    const CountsAsTest not_of_the_server;
    if (used_.sealed_tokens.insert(checksum(nonce, checksum(key))).second) return;
    if (used_.repeated.empty()) used_.repeated = "the nonce of a token was used a second time";
  }
  void note(const char* what, std::uint64_t sequence) const {
    if (!used_.repeated.empty()) return;
    used_.repeated = "sequence " + std::to_string(sequence) + ' ' + what + " a second time";
  }

  const net::Cipher& cipher_;
  UsedNonces& used_;
};

}  // namespace orrery::fleet
