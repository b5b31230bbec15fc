// Cuts texts that are too large for one datagram of a path into pieces, and puts them together.
//
//   form u8 | bytes of the text
//
// A piece is the text of a sealed packet of type piece. The pieces of a text have sequences in a
// row. The form is the index of the piece, plus 4 times the number of pieces, plus 128 if the path
// is known to drop larger datagrams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

inline constexpr std::size_t kPieceHeadBytes = 1;
inline constexpr std::size_t kPiecesMax = 3;
// Most bytes of a packet besides its text.
inline constexpr std::size_t kAroundTextMax = kPacketBytesMax - kPayloadBytesMax;
static_assert(kPiecesMax * (kDatagramBytesMin - kAroundTextMax - kPieceHeadBytes) >=
              kPayloadBytesMax);
// Most bytes that pieces add to a packet: their heads, prefixes and seals, and headers of UDP and
// IP.
inline constexpr std::size_t kPiecesAdd =
    kPiecesMax * kPieceHeadBytes + (kPiecesMax - 1) * (kAroundTextMax + kUdpIpBytes);

// The pieces of a text.
struct Cut {
  std::size_t pieces = 0;
  std::size_t bytes = 0;  // of the text in each piece; only the last may be shorter
};

// Returns how the text of a packet is cut into pieces of nearly equal size. REQUIRES: text_bytes <=
// kPayloadBytesMax; datagram_bytes_max >= kDatagramBytesMin.
Cut cut_of(std::size_t text_bytes, std::size_t datagram_bytes_max);

// Appends a piece of a text to `out`. `drops_larger`: the path is known to drop larger datagrams.
// REQUIRES: cut_of(text.size(), ...) returned `cut`; 2 <= cut.pieces <= kPiecesMax; index <
// cut.pieces.
void encode_piece(Bytes text, const Cut& cut, std::size_t index, bool drops_larger,
                  std::vector<std::uint8_t>& out);

// A part of a text.
struct Piece {
  std::uint64_t first = 0;  // sequence of the first piece of the text
  std::size_t index = 0;    // below `pieces`
  std::size_t pieces = 0;   // 2 to kPiecesMax
  bool drops_larger = false;
  Bytes bytes{};
};

// Reads the text of a packet of type piece with this sequence. Returns nothing if it is invalid.
std::optional<Piece> decode_piece(std::uint64_t sequence, Bytes text);

// Puts the pieces of texts together, in any order. Its memory is bounded: pieces of some texts
// wait, and a piece of another text takes the place of the oldest.
class PieceAssembly {
 public:
  // Takes a piece. Returns the text if this was its last missing piece, valid until the next call.
  // Returns nothing if pieces are missing, or if the text is larger than that of any packet.
  std::optional<Bytes> take(const Piece& piece);

 private:
  struct Text {
    std::uint64_t first = 0;
    std::size_t count = 0;  // of its pieces; 0: none has arrived
    std::array<std::vector<std::uint8_t>, kPiecesMax> pieces{};
  };

  std::array<Text, 8> texts_{};
  std::vector<std::uint8_t> whole_;
};

}  // namespace orrery::net
