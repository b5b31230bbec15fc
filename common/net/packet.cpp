// Owns the bytes of a packet header.
#include "common/net/packet.h"

#include "common/core/limits.h"

namespace orrery {

void encode_packet_header(const PacketHeader& header, std::vector<std::uint8_t>& out) {
  const std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.u32(static_cast<std::uint32_t>(header.type));  // three zeros behind the type
  writer.u32(header.sequence);
  writer.u64(header.connection);
  writer.u32(header.ack);
  writer.u32(header.ack_bits);
  ORRERY_ASSERT(out.size() == begin + kPacketHeaderBytes);
}

std::optional<Packet> decode_packet(Bytes datagram) {
  if (datagram.size() > limits::kDatagramBytesMax) return std::nullopt;
  ByteReader reader(datagram);
  const std::uint32_t type = reader.u32();
  PacketHeader header;
  header.type = static_cast<PacketType>(type);
  header.sequence = reader.u32();
  header.connection = reader.u64();
  header.ack = reader.u32();
  header.ack_bits = reader.u32();
  const bool known = type >= static_cast<std::uint32_t>(PacketType::connect_request) &&
                     type <= static_cast<std::uint32_t>(PacketType::answer);
  if (!reader.ok() || !known) return std::nullopt;
  return Packet{header, datagram.subspan(kPacketHeaderBytes)};
}

}  // namespace orrery
