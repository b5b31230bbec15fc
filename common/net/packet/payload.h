// Encodes the header of every message in the payload of a packet.
//
//   type u8 | three zero bytes | sequence u32 | ack u32 | ack bits u32 | message
//
// The integers are little-endian. The 16 bytes keep the message aligned to eight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/limits.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

// The type of a message.
enum class MessageType : std::uint8_t {
  hello = 1,  // client to server
  welcome,    // server to client
  goodbye,    // server to client
  input,      // client to server
  snapshot,   // server to client
  // Client to server. Protocols before 6 used the number 6.
  query = 7,
  answer,  // server to client
  // Both ways: the two varints of a codec::CommandReport (0 and 0 from a client), then fragments
  // (fragment.h).
  reliable,
  delta,      // server to client: a part of a frame of mode delta
  frame_ack,  // client to server: the newest frame of mode delta that it has
  ticket,     // server to client: lets the client connect again (ticket.h)
};

// The header of a message.
struct PayloadHeader {
  MessageType type = MessageType::hello;
  std::uint32_t sequence = 0;  // 1, 2, ... in each direction; wraps around and skips 0
  std::uint32_t ack = 0;       // newest sequence received; 0: none
  std::uint32_t ack_bits = 0;  // bit i: ack - 1 - i was received
};

// Returns true if sequence `a` is later than `b`, modulo 2^32.
inline bool is_later(std::uint32_t a, std::uint32_t b) { return a - b - 1 < 0x7fffffffu; }

inline constexpr std::size_t kPayloadHeaderBytes = 16;
static_assert(kPayloadHeaderBytes + limits::kMessageBytesMax == kPayloadBytesMax);

// A decoded payload.
struct Payload {
  PayloadHeader header;
  Bytes message;  // points into the payload
};

// Appends the header.
void encode_payload_header(const PayloadHeader& header, std::vector<std::uint8_t>& out);

// Decodes untrusted text of a payload packet. Returns nothing if it is shorter than a header or
// has an unknown type.
std::optional<Payload> decode_payload(Bytes text);

}  // namespace orrery::net
