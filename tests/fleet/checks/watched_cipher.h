// Owns a cipher that remembers what was sealed and opened under which key and sequence.
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

// Of all connections, for the whole of a run.
struct UsedNonces {
  // A nonce that was used a second time, for a person; empty if there was none.
  std::string repeated;
  std::unordered_map<std::uint64_t, std::uint64_t> next_sealed;         // by key
  std::unordered_map<std::uint64_t, std::vector<bool>> opened_packets;  // by key; by sequence
  std::unordered_set<std::uint64_t> sealed_tokens;                      // key and nonce
};

// Everybody counts up, so a sequence that does not is one that may have been used before. Sequences
// from 2^63 on are those of strangers, and count by themselves.
class WatchedCipher final : public net::Cipher {
 public:
  // Both outlive it.
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
  // Packets of the handshake may come again; their type is the last thing that is associated.
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
    constexpr std::uint64_t kSequencesMax = 1 << 24;  // more than any run sends
    std::vector<bool>& opened = used_.opened_packets[checksum(key)];
    if (sequence >= kSequencesMax) return note("was opened and never sealed", sequence);
    if (sequence >= opened.size()) opened.resize(sequence + sequence / 2 + 64);
    if (opened[sequence]) note("was accepted", sequence);
    opened[sequence] = true;
  }
  // Requests are said again, so tokens are opened more than once. That they let in once is seen by
  // the packets: their keys would seal the same sequences again.
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
