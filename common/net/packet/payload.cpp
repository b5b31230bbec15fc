// Encodes the header of messages.
#include "common/net/packet/payload.h"

namespace orrery::net {
namespace {

bool is_known(std::uint32_t type) {
  return type >= static_cast<std::uint32_t>(MessageType::hello) &&
         type <= static_cast<std::uint32_t>(MessageType::ticket) && type != 6;
}

}  // namespace

void encode_payload_header(const PayloadHeader& header, std::vector<std::uint8_t>& out) {
  const std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.u32(static_cast<std::uint32_t>(header.type));  // little-endian: type, three zeros
  writer.u32(header.sequence);
  writer.u32(header.ack);
  writer.u32(header.ack_bits);
  ORRERY_ASSERT(out.size() == begin + kPayloadHeaderBytes);
}

std::optional<Payload> decode_payload(Bytes text) {
  ByteReader reader(text);
  const std::uint32_t type = reader.u32();
  PayloadHeader header;
  header.type = static_cast<MessageType>(type);
  header.sequence = reader.u32();
  header.ack = reader.u32();
  header.ack_bits = reader.u32();
  if (!reader.ok() || !is_known(type)) return std::nullopt;
  return Payload{header, text.subspan(kPayloadHeaderBytes)};
}

}  // namespace orrery::net
