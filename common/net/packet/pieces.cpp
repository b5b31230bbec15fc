// Cuts texts that are too large for one datagram of a path into pieces, and puts them together.
#include "common/net/packet/pieces.h"

#include <algorithm>

namespace orrery::net {
namespace {

constexpr std::uint8_t kDropsLarger = 128;

}  // namespace

Cut cut_of(std::size_t text_bytes, std::size_t datagram_bytes_max) {
  ORRERY_ASSERT(datagram_bytes_max >= kDatagramBytesMin);
  ORRERY_ASSERT(text_bytes >= 1 && text_bytes <= kPayloadBytesMax);
  const std::size_t room = datagram_bytes_max - kAroundTextMax - kPieceHeadBytes;
  const std::size_t pieces = (text_bytes + room - 1) / room;
  return {pieces, (text_bytes + pieces - 1) / pieces};
}

void encode_piece(Bytes text, const Cut& cut, std::size_t index, bool drops_larger,
                  std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(cut.pieces >= 2 && cut.pieces <= kPiecesMax && index < cut.pieces);
  const std::size_t from = index * cut.bytes;
  ORRERY_ASSERT(from < text.size());
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(index + 4 * cut.pieces + (drops_larger ? kDropsLarger : 0)));
  writer.bytes(text.subspan(from, std::min(cut.bytes, text.size() - from)));
}

std::optional<Piece> decode_piece(std::uint64_t sequence, Bytes text) {
  ByteReader reader(text);
  const std::uint8_t form = reader.u8();
  if (!reader.ok() || reader.at_end()) return std::nullopt;
  Piece piece{.index = form % 4u,
              .pieces = form % kDropsLarger / 4u,
              .drops_larger = form >= kDropsLarger,
              .bytes = reader.rest()};
  if (piece.pieces < 2 || piece.pieces > kPiecesMax || piece.index >= piece.pieces ||
      piece.index > sequence) {
    return std::nullopt;
  }
  piece.first = sequence - piece.index;
  return piece;
}

std::optional<Bytes> PieceAssembly::take(const Piece& piece) {
  ORRERY_ASSERT(piece.pieces <= kPiecesMax && piece.index < piece.pieces && !piece.bytes.empty());
  auto text = std::find_if(texts_.begin(), texts_.end(), [&](const Text& t) {
    return t.first == piece.first && t.count == piece.pieces;
  });
  if (text == texts_.end()) {
    text = std::min_element(texts_.begin(), texts_.end(),
                            [](const Text& a, const Text& b) { return a.first < b.first; });
    text->first = piece.first;
    text->count = piece.pieces;
    for (auto& bytes : text->pieces) bytes.clear();
  }
  text->pieces[piece.index].assign(piece.bytes.begin(), piece.bytes.end());
  whole_.clear();
  for (const auto& bytes : std::span(text->pieces).first(text->count)) {
    if (bytes.empty()) return std::nullopt;
    whole_.insert(whole_.end(), bytes.begin(), bytes.end());
  }
  text->first = text->count = 0;
  return whole_.size() <= kPayloadBytesMax ? std::optional<Bytes>(whole_) : std::nullopt;
}

}  // namespace orrery::net
