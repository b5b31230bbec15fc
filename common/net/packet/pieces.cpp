// Cuts sealed packets that are too large for a path into pieces, and puts the pieces together.
#include "common/net/packet/pieces.h"

#include <algorithm>

namespace orrery::net {
namespace {

constexpr std::uint8_t kDropsLarger = 128;

}  // namespace

Cut cut_of(std::size_t packet_bytes, std::size_t datagram_bytes_max) {
  ORRERY_ASSERT(datagram_bytes_max >= kDatagramBytesMin);
  ORRERY_ASSERT(packet_bytes >= 1 && packet_bytes <= kPacketBytesMax);
  const std::size_t room = datagram_bytes_max - kPieceHeadBytes;
  const std::size_t pieces = (packet_bytes + room - 1) / room;
  return {pieces, (packet_bytes + pieces - 1) / pieces + kPieceHeadBytes};
}

void encode_pieces(Bytes packet, const Cut& cut, bool drops_larger,
                   std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(cut.pieces >= 2 && cut.pieces <= kPiecesMax);
  const auto prefix = decode_prefix(packet);
  ORRERY_ASSERT(prefix);
  ByteWriter writer(out);
  for (std::size_t i = 0; i < cut.pieces; ++i) {
    writer.u8(static_cast<std::uint8_t>(PacketType::piece));
    writer.u16(static_cast<std::uint16_t>(prefix->sequence));
    writer.u8(static_cast<std::uint8_t>(i + 4 * cut.pieces + (drops_larger ? kDropsLarger : 0)));
    const std::size_t from = i * (cut.bytes - kPieceHeadBytes);
    ORRERY_ASSERT(from < packet.size());
    writer.bytes(packet.subspan(from, std::min(cut.bytes - kPieceHeadBytes, packet.size() - from)));
  }
}

std::optional<Piece> decode_piece(Bytes datagram) {
  ORRERY_ASSERT(is_piece(datagram));
  ByteReader reader(datagram);
  reader.u8();
  Piece piece{.number = reader.u16()};
  const std::uint8_t form = reader.u8();
  piece.index = form % 4;
  piece.pieces = form % kDropsLarger / 4;
  piece.drops_larger = form >= kDropsLarger;
  if (!reader.ok() || reader.at_end() || datagram.size() > kPacketBytesMax) return std::nullopt;
  if (piece.pieces < 2 || piece.pieces > kPiecesMax || piece.index >= piece.pieces) {
    return std::nullopt;
  }
  piece.bytes = reader.rest();
  return piece;
}

std::optional<Bytes> PieceAssembly::take(const Piece& piece) {
  ORRERY_ASSERT(piece.pieces <= kPiecesMax && piece.index < piece.pieces && !piece.bytes.empty());
  Packet& packet = packets_[piece.number % packets_.size()];
  if (packet.number != piece.number || packet.count != piece.pieces) {
    packet.number = piece.number;
    packet.count = piece.pieces;
    for (auto& bytes : packet.pieces) bytes.clear();
  }
  packet.pieces[piece.index].assign(piece.bytes.begin(), piece.bytes.end());
  whole_.clear();
  for (const auto& bytes : std::span(packet.pieces).first(packet.count)) {
    if (bytes.empty()) return std::nullopt;
    whole_.insert(whole_.end(), bytes.begin(), bytes.end());
  }
  packet.count = 0;
  return Bytes(whole_);
}

}  // namespace orrery::net
