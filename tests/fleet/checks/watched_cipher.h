// Checks that no nonce is used twice with the same key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/core/hash.h"
#include "common/net/channel/packet_sequences.h"
#include "common/net/packet/cipher.h"
#include "common/net/packet/packet.h"
#include "tests/fleet/held_memory.h"

namespace orrery::fleet {

// The sequences that were sealed with one key, as ranges. A client that tries its ticket again
// seals with the same key, and begins a range at another random sequence.
class SealedSequences {
 public:
  // Adds a sequence. Returns false if it was added before.
  bool add(std::uint64_t sequence) {
    const auto after = ends_.upper_bound(sequence);
    if (after != ends_.begin()) {
      std::uint64_t& end = std::prev(after)->second;
      if (sequence < end) return false;
      if (sequence == end) {
        ++end;
        return true;
      }
    }
    ends_.emplace_hint(after, sequence, sequence + 1);
    return true;
  }

 private:
  // one more than the last sequence of each range, indexed by its first
  std::map<std::uint64_t, std::uint64_t> ends_;
};

// The packets that were opened with one key.
struct OpenedPackets {
  std::uint64_t base = 0;        // the sequence at index 0
  std::vector<bool> accepted{};  // empty before the first packet
};

// The nonces of all connections of a run.
struct UsedNonces {
  // description of the first repeated nonce, or empty
  std::string repeated;
  std::unordered_map<std::uint64_t, SealedSequences> sealed;        // indexed by a hash of the key
  std::unordered_set<std::uint64_t> sealed_handshakes;              // hashes of key and sequence
  std::unordered_map<std::uint64_t, OpenedPackets> opened_packets;  // indexed by a hash of the key
  std::unordered_set<std::uint64_t> sealed_tokens;                  // hashes of key and nonce
};

// A cipher that records the nonces of what it seals and opens. Sequences from 2^63 on belong to the
// handshake, and each run of the server starts them at a random number.
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
    if (sequence >= net::PacketSequences::kEnd) {
      if (!used_.sealed_handshakes.insert(checksum(key, sequence)).second) {
        note("was sealed", sequence);
      }
      return;
    }
    if (!used_.sealed[checksum(key)].add(sequence)) note("was sealed", sequence);
  }
  void mark_opened(const net::Key& key, std::uint64_t sequence) const {
    const CountsAsTest not_of_the_server;
    constexpr std::uint64_t kSequencesMax = 1 << 24;  // more than a run sends
    constexpr std::uint64_t kOvertakenMax = 1 << 12;  // packets before the first one that arrived
    auto& [base, accepted] = used_.opened_packets[checksum(key)];
    if (accepted.empty()) base = sequence - std::min(sequence, kOvertakenMax);
    const std::uint64_t index = sequence - base;  // huge if the sequence is below the base
    // Clients start at random sequences, so the sequences of two clients with one key are far
    // apart.
    if (index >= kSequencesMax)
      return note("is far from the others, so its key was used", sequence);
    if (index >= accepted.size()) accepted.resize(index + index / 2 + 64);
    if (accepted[index]) note("was accepted", sequence);
    accepted[index] = true;
  }
  // Checks the nonce of a token when it is sealed. Opening is not checked, because clients repeat
  // requests. If one token admits two clients, their packets show it: they have the same keys, and
  // sequences that are far apart.
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
