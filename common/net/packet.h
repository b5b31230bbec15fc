// Owns the packets of netcode 1.02: what a datagram is, in the clear and sealed.
//
//   request:  0 | version 13 | protocol id u64 | expires u64 | nonce 24 | sealed private token 1024
//   others:   sequence bytes << 4 | type | sequence, 1 to 8 bytes | sealed text
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/net/cipher.h"
#include "common/net/connect_token.h"

namespace orrery {

enum class PacketType : std::uint8_t {
  request,     // client to server, in the clear
  denied,      // server to client: it is full
  challenge,   // server to client: ChallengeText
  response,    // client to server: the same text
  keep_alive,  // both ways: index of the client u32, most clients u32
  payload,     // both ways: 1 to kPayloadBytesMax bytes
  disconnect,  // both ways
};

// A packet fits every path that carries IPv6: 1,280 bytes less the headers of IPv6 and UDP are
// 1,232.
inline constexpr std::size_t kPayloadBytesMax = 1200;
inline constexpr std::size_t kPacketBytesMax = 1 + 8 + kPayloadBytesMax + kSealBytes;

// --- the request ---

inline constexpr std::size_t kRequestBytes = 1 + 13 + 8 + 8 + 24 + kPrivateTokenBytes;
static_assert(kRequestBytes == 1078 && kRequestBytes <= kPacketBytesMax);

struct Request {
  TokenHead head;
  Bytes sealed;  // the private token: part of the datagram
};

// Appends the request that a token makes.
void encode_request(const ConnectToken& token, std::vector<std::uint8_t>& out);
// Nothing if the datagram is not a request of this version.
std::optional<Request> decode_request(Bytes datagram);

// --- the challenge: proof that an address receives, which the server need not remember ---

inline constexpr std::size_t kChallengeTokenBytes = 300;
inline constexpr std::size_t kChallengeTextBytes = 8 + kChallengeTokenBytes;
using ChallengeText = std::array<std::uint8_t, kChallengeTextBytes>;  // sequence u64, sealed token

// Whom a challenge is for: who shows it comes from there, and has this token.
struct Challenged {
  std::uint64_t client_id = 0;
  Seal seal{};  // of the token
  Address address{};
};

// Under one key no sequence may come twice.
ChallengeText make_challenge(const Cipher& cipher, const Key& key, std::uint64_t sequence,
                             const Challenged& whom);
// Whether the text is a challenge that was made with this key for just these.
bool is_challenge(const Cipher& cipher, const Key& key, Bytes text, const Challenged& whom);

// --- sealed packets ---

inline constexpr std::size_t kKeepAliveBytes = 8;

// The part in front of the seal, which says how to open it.
struct PacketPrefix {
  PacketType type = PacketType::keep_alive;
  std::uint64_t sequence = 0;
  std::size_t bytes = 0;
};

// Nothing if the datagram is not of a type that is sealed, or has not the size of one.
std::optional<PacketPrefix> decode_prefix(Bytes datagram);

// The size of a packet whose text has so many bytes.
std::size_t packet_bytes(std::uint64_t sequence, std::size_t text_bytes);

// Seals and opens the packets of one protocol.
class PacketSealer {
 public:
  // The cipher outlives it.
  PacketSealer(const Cipher& cipher, std::uint64_t protocol_id)
      : cipher_(cipher), protocol_id_(protocol_id) {}

  // Appends a packet. Under one key no sequence may come twice.
  void seal(const Key& key, PacketType type, std::uint64_t sequence, Bytes text,
            std::vector<std::uint8_t>& out) const;

  // The text, in `out`, which has room for kPacketBytesMax; nothing if the datagram was
  // not sealed with this key. The prefix is that of the datagram.
  std::optional<Bytes> open(const Key& key, const PacketPrefix& prefix, Bytes datagram,
                            std::span<std::uint8_t> out) const;

 private:
  std::array<std::uint8_t, 22> associated_of(std::uint8_t first_byte) const;

  const Cipher& cipher_;
  std::uint64_t protocol_id_;
};

}  // namespace orrery
