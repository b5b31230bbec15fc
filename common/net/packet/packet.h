// Encodes the packets of netcode 1.02, and two more for clients with a new address.
//
//   request:  0 | version 13 | protocol id u64 | expires u64 | nonce 24 | sealed private token 1024
//   move:     7 | the same fields
//   moved:    8 | client index u32 | a sealed packet of type response
//   others:   16 x size of the sequence + type | sequence, 1 to 8 bytes | sealed text
//
// "|" separates fields. 13, 24 and 1024 are sizes in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/codec/end_reason.h"
#include "common/core/bytes.h"
#include "common/net/packet/cipher.h"
#include "common/net/packet/connect_token.h"
#include "common/net/packet/plain_cipher.h"

namespace orrery::net {

// The type of a packet, in the low four bits of its first byte.
enum class PacketType : std::uint8_t {
  request,     // client to server, in the clear
  denied,      // server to client: no text if the server is full, otherwise the reason
  challenge,   // server to client: ChallengeText
  response,    // client to server: the same text
  keep_alive,  // both ways: client index u32, maximum clients u32; a client sends zeros
  payload,     // both ways: 1 to kPayloadBytesMax bytes
  disconnect,  // both ways
  move,        // client to server, in the clear: a connected client has another address
  moved,       // client to server: the answer to the challenge that follows
  piece,       // both ways: a part of a payload that is too large for the path (pieces.h)
};

// Bytes of the headers of UDP and IPv6.
inline constexpr std::size_t kUdpIpBytes = 8 + 40;
// A packet fits every IPv6 path: 1,280 bytes less 48 bytes of IPv6 and UDP headers are 1,232.
inline constexpr std::size_t kPayloadBytesMax = 1200;
inline constexpr std::size_t kPacketBytesMax = 1 + 8 + kPayloadBytesMax + kSealBytes;
static_assert(kPacketBytesMax <= 1280 - kUdpIpBytes);

// The smallest limit of datagrams (DatagramLimit). Every IPv4 host takes 576 bytes (RFC 791). Its
// header has at most 60, and that of UDP 8.
inline constexpr std::size_t kDatagramBytesMin = 576 - 60 - 8;

// --- Request ---

inline constexpr std::size_t kRequestBytes = 1 + 13 + 8 + 8 + 24 + kPrivateTokenBytes;
static_assert(kRequestBytes == 1078 && kRequestBytes <= kPacketBytesMax);

// A decoded request or move.
struct Request {
  TokenHead head;
  Bytes sealed;  // private token; points into the datagram
};

// Appends the request for a token, or the move of the connection that was made with it. REQUIRES:
// the type is request or move.
void encode_request(const ConnectToken& token, std::vector<std::uint8_t>& out,
                    PacketType type = PacketType::request);
// Decodes a packet of this type. Returns nothing if the datagram is no such packet of this netcode
// version.
std::optional<Request> decode_request(Bytes datagram, PacketType type = PacketType::request);

// --- Challenge: proves that an address receives datagrams ---

inline constexpr std::size_t kChallengeTokenBytes = 300;
inline constexpr std::size_t kChallengeTextBytes = 8 + kChallengeTokenBytes;
using ChallengeText = std::array<std::uint8_t, kChallengeTextBytes>;  // sequence u64, sealed token
static_assert(kChallengeTextBytes + kSealBytes < kRequestBytes / 3);  // no amplification of attacks

// The data for which a challenge is valid: the client, its token and its address.
struct ChallengeSubject {
  std::uint64_t client_id = 0;
  Seal seal{};  // authentication tag of the private token
  Address address{};
};

// Makes a challenge. REQUIRES: the sequence was never used with this key before.
ChallengeText make_challenge(const Cipher& cipher, const Key& key, std::uint64_t sequence,
                             const ChallengeSubject& whom);
// Returns true if the text is a challenge made with this key for exactly this data.
bool is_challenge(const Cipher& cipher, const Key& key, Bytes text, const ChallengeSubject& whom);

// --- Denial: says why a request gets no slot ---

// The text of a denial. `server` is sent only with EndReason::forgotten: the place of the server in
// the token's list. Nobody can then pass the denial of one server off as that of another.
struct Denial {
  EndReason reason = EndReason::full;  // of ORRERY_DENIAL_REASONS
  std::uint8_t server = 0;
};

// Returns nothing if the text is not a denial, or has an unknown reason.
std::optional<Denial> decode_denial(Bytes text);

// --- Moved: a response, with the client that sends it from an unknown address ---

// A decoded packet of type moved.
struct Moved {
  std::uint32_t index = 0;  // of the client, from 0
  Bytes packet;             // a packet of type response; points into the datagram
};

// Appends the first bytes of a packet of type moved. The packet of type response follows them.
void encode_moved_head(std::uint32_t index, std::vector<std::uint8_t>& out);
// Decodes a packet of type moved. Returns nothing if it is none. The sealed packet is not checked.
std::optional<Moved> decode_moved(Bytes datagram);

// --- Sealed packets ---

inline constexpr std::size_t kKeepAliveBytes = 8;

// The unencrypted first part of a sealed packet.
struct PacketPrefix {
  PacketType type = PacketType::keep_alive;
  std::uint64_t sequence = 0;
  // Size of the prefix in the datagram.
  std::size_t bytes = 0;
};

// Reads the prefix. Returns nothing if the first byte is not that of a sealed packet, or if the
// size is wrong for the type.
std::optional<PacketPrefix> decode_prefix(Bytes datagram);

// Returns the size of a packet with a text of `text_bytes` bytes.
std::size_t packet_bytes(std::uint64_t sequence, std::size_t text_bytes);

// Seals and opens the packets of one protocol id. Packets over a WebSocket are not encrypted, and
// their seal only shows that the sender has the key: TLS or the loopback interface protects them
// (schema/wire.md 15).
class PacketSealer {
 public:
  // REQUIRES: the cipher, which is for packets over UDP, outlives it.
  PacketSealer(const Cipher& cipher, std::uint64_t protocol_id)
      : cipher_(cipher), protocol_id_(protocol_id) {}

  // Appends a sealed packet. REQUIRES: the sequence was never used with this key before.
  void seal(const Key& key, PacketType type, std::uint64_t sequence, Bytes text,
            std::vector<std::uint8_t>& out, Carrier carrier = Carrier::udp) const;

  // Decrypts a packet into `out`. Returns the text, or nothing if it was not sealed with this key.
  //
  // REQUIRES: decode_prefix(datagram) returned `prefix`; `out` has room for kPacketBytesMax bytes.
  std::optional<Bytes> open(const Key& key, const PacketPrefix& prefix, Bytes datagram,
                            std::span<std::uint8_t> out, Carrier carrier = Carrier::udp) const;

 private:
  const Cipher& cipher_of(Carrier carrier) const {
    return carrier == Carrier::websocket ? plain_ : cipher_;
  }
  std::array<std::uint8_t, 22> associated_of(std::uint8_t first_byte) const;

  const Cipher& cipher_;
  PlainCipher plain_;
  std::uint64_t protocol_id_;
};

}  // namespace orrery::net
