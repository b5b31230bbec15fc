// Cuts sealed packets that are too large for a path into pieces, and puts the pieces together.
//
//   type u8 (PacketType::piece) | number u16 | form u8 | bytes of the packet
//
// The number is the sequence of the packet, modulo 2^16. The form is the index of the piece, plus 4
// times the number of pieces, plus 128 if the path is known to drop larger datagrams. Pieces are
// not sealed: the packet is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

inline constexpr std::size_t kPieceHeadBytes = 4;
inline constexpr std::size_t kPiecesMax = 3;
static_assert(kPiecesMax * (kDatagramBytesMin - kPieceHeadBytes) >= kPacketBytesMax);
// Most bytes that pieces add to a packet: their heads, and headers of UDP and IP.
inline constexpr std::size_t kPiecesAdd =
    kPiecesMax * kPieceHeadBytes + (kPiecesMax - 1) * kUdpIpBytes;

// The pieces of a packet.
struct Cut {
  std::size_t pieces = 0;
  std::size_t bytes = 0;  // of each piece with its head; only the last may be shorter
};

// Returns how a packet is cut into pieces of nearly equal size. REQUIRES: datagram_bytes_max >=
// kDatagramBytesMin.
Cut cut_of(std::size_t packet_bytes, std::size_t datagram_bytes_max);

// Appends the pieces of a packet to `out`, one after the other. `drops_larger`: the path is known
// to drop larger datagrams. REQUIRES: decode_prefix(packet) returns a prefix.
void encode_pieces(Bytes packet, const Cut& cut, bool drops_larger, std::vector<std::uint8_t>& out);

// A part of a packet.
struct Piece {
  std::uint16_t number = 0;
  std::size_t index = 0;   // below `pieces`
  std::size_t pieces = 0;  // 2 to kPiecesMax
  bool drops_larger = false;
  Bytes bytes{};
};

// Returns true if a datagram is meant to be a piece.
inline bool is_piece(Bytes datagram) {
  return !datagram.empty() && datagram[0] == static_cast<std::uint8_t>(PacketType::piece);
}

// Reads a piece. Returns nothing if it is invalid. REQUIRES: is_piece(datagram).
std::optional<Piece> decode_piece(Bytes datagram);

// Puts the pieces of packets together, in any order. Its memory is bounded: pieces of some packets
// wait, and a newer packet takes the place of an older one.
class PieceAssembly {
 public:
  // Takes a piece. Returns the packet if this was its last missing piece, valid until the next
  // call. The packet is untrusted, and may be too large. Returns nothing if pieces are missing.
  std::optional<Bytes> take(const Piece& piece);

 private:
  struct Packet {
    std::uint16_t number = 0;
    std::size_t count = 0;  // of its pieces; 0: none has arrived
    std::array<std::vector<std::uint8_t>, kPiecesMax> pieces{};
  };

  std::array<Packet, 8> packets_{};
  std::vector<std::uint8_t> whole_;
};

}  // namespace orrery::net
