// Owns what is in front of every message in the payload of a packet.
//
//   type u8 | 0 u8 x 3 | sequence u32 | ack u32 | ack bits u32 | message
//
// Little-endian, 16 bytes, so that the message starts at a multiple of eight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/limits.h"
#include "common/net/packet.h"

namespace orrery {

enum class MessageType : std::uint8_t {
  hello = 1,  // client to server
  welcome,    // server to client
  goodbye,    // server to client
  input,      // client to server
  snapshot,   // server to client
  query = 7,  // client to server; 6 was events, before protocol 6
  answer,     // server to client
  reliable,   // both ways: commands received, varint (a client says 0); then fragments (fragment.h)
};

struct PayloadHeader {
  MessageType type = MessageType::hello;
  std::uint32_t sequence = 0;  // 1, 2, ... in each direction of a connection
  std::uint32_t ack = 0;       // the newest sequence received; 0: none
  std::uint32_t ack_bits = 0;  // bit i: ack - 1 - i was received too
};

// Whether a sequence of messages comes after another, through 2^32.
inline bool is_later(std::uint32_t a, std::uint32_t b) { return a - b - 1 < 0x7fffffffu; }

inline constexpr std::size_t kPayloadHeaderBytes = 16;
static_assert(kPayloadHeaderBytes + limits::kMessageBytesMax == kPayloadBytesMax);

struct Payload {
  PayloadHeader header;
  Bytes message;  // part of the payload
};

// Appends the header.
void encode_payload_header(const PayloadHeader& header, std::vector<std::uint8_t>& out);

// The foreign text of a payload packet; nothing if it is too short or of no known type.
std::optional<Payload> decode_payload(Bytes text);

}  // namespace orrery
