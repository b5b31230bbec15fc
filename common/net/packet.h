// Owns the packet: the header in front of every message on the wire.
//
//   type u8 | 0 u8 x 3 | sequence u32 | connection u64 | ack u32 | ack bits u32 | message
//
// Little-endian, 24 bytes, so that the message starts at a multiple of eight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"

namespace orrery {

enum class PacketType : std::uint8_t {
  connect_request = 1,  // client to server; the message says the rest, and so on
  challenge,            // server to client
  response,             // client to server
  accept,               // server to client
  deny,                 // server to client
  input,                // client to server
  snapshot,             // server to client
  keep_alive,           // both ways; no message
  disconnect,           // both ways
  events,               // server to client
  query,                // client to server
  answer,               // server to client
};

struct PacketHeader {
  PacketType type = PacketType::keep_alive;
  std::uint32_t sequence = 0;  // 1, 2, ... in each direction of a connection; 0 before there is one
  std::uint64_t connection = 0;  // drawn by the server; 0 before there is one
  std::uint32_t ack = 0;         // the newest sequence received; 0: none
  std::uint32_t ack_bits = 0;    // bit i: ack - 1 - i was received too
};

inline constexpr std::size_t kPacketHeaderBytes = 24;

struct Packet {
  PacketHeader header;
  Bytes message;  // part of the datagram
};

// Appends the header.
void encode_packet_header(const PacketHeader& header, std::vector<std::uint8_t>& out);

// A foreign datagram; nothing if it is too short, too long or of no known type.
std::optional<Packet> decode_packet(Bytes datagram);

}  // namespace orrery
