// Tests packets that are cut into pieces, and hostile pieces.
#include "common/net/packet/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer random_bytes(std::size_t size, SplitMix64& random) {
  Buffer bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  return bytes;
}

// Returns random bytes that begin like a payload with this sequence.
Buffer packet_of(std::size_t size, std::uint64_t sequence, SplitMix64& random) {
  Buffer packet = random_bytes(size, random);
  packet[0] = 0x80 | static_cast<std::uint8_t>(net::PacketType::payload);
  store_little_endian<8>(packet.data() + 1, sequence | std::uint64_t{1} << 56);
  return packet;
}

// Returns the pieces of a packet, each a datagram.
std::vector<Buffer> cut(Bytes packet, std::size_t bytes_max, bool drops_larger = false) {
  const net::Cut how = net::cut_of(packet.size(), bytes_max);
  Buffer train;
  net::encode_pieces(packet, how, drops_larger, train);
  std::vector<Buffer> pieces;
  for (std::size_t at = 0; at < train.size(); at += how.bytes) {
    const std::size_t size = std::min(how.bytes, train.size() - at);
    pieces.emplace_back(train.begin() + static_cast<std::ptrdiff_t>(at),
                        train.begin() + static_cast<std::ptrdiff_t>(at + size));
  }
  EXPECT_EQ(pieces.size(), how.pieces);
  return pieces;
}

// Takes a datagram, and returns the packet that it completes.
std::optional<Bytes> take(net::PieceAssembly& assembly, Bytes datagram) {
  EXPECT_TRUE(net::is_piece(datagram));
  const auto piece = net::decode_piece(datagram);
  return piece ? assembly.take(*piece) : std::nullopt;
}

TEST(Pieces, APacketOfAnySizeComesBackInAnyOrder) {
  SplitMix64 random(1);
  net::PieceAssembly assembly;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const std::size_t most =
        net::kDatagramBytesMin + random.below(net::kPacketBytesMax - net::kDatagramBytesMin);
    const auto over = static_cast<std::uint32_t>(net::kPacketBytesMax - most);
    const Buffer packet = packet_of(most + 1 + random.below(over), round, random);
    auto pieces = cut(packet, most);
    ASSERT_GE(pieces.size(), 2u);
    for (const Buffer& piece : pieces) ASSERT_LE(piece.size(), most);
    std::swap(pieces[random.below(static_cast<std::uint32_t>(pieces.size()))], pieces.front());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto whole = take(assembly, pieces[i]);
      ASSERT_EQ(whole.has_value(), i + 1 == pieces.size());
      if (whole) {
        EXPECT_TRUE(std::ranges::equal(*whole, packet));
      }
      EXPECT_FALSE(take(assembly, pieces[i]));  // a copy
    }
  }
}

TEST(Pieces, ALostPieceCostsOnlyItsPacket) {
  SplitMix64 random(2);
  net::PieceAssembly assembly;
  int whole = 0;
  for (std::uint16_t number = 0; number < 100; ++number) {
    const Buffer packet = packet_of(net::kPacketBytesMax, number, random);
    auto pieces = cut(packet, net::kDatagramBytesMin);
    if (number % 3 == 0) pieces.pop_back();
    for (const Buffer& piece : pieces) whole += take(assembly, piece).has_value();
  }
  EXPECT_EQ(whole, 66);
}

TEST(Pieces, SayWhetherThePathDropsLargerOnes) {
  SplitMix64 random(4);
  const Buffer packet = packet_of(net::kPacketBytesMax, 7, random);
  for (const bool drops_larger : {false, true}) {
    for (const Buffer& piece : cut(packet, net::kDatagramBytesMin, drops_larger)) {
      EXPECT_EQ(net::decode_piece(piece).value().drops_larger, drops_larger);
    }
  }
}

TEST(Pieces, InvalidOnesAreRefused) {
  SplitMix64 random(5);
  const Buffer valid = cut(packet_of(net::kPacketBytesMax, 7, random), 600)[1];
  ASSERT_TRUE(net::decode_piece(valid));
  std::vector<Buffer> invalid(8, valid);
  for (std::size_t bytes = 1; bytes <= 4; ++bytes) invalid[bytes - 1].resize(bytes);
  invalid[4].resize(net::kPacketBytesMax + 1);
  invalid[5][3] = 4 * 3 + 3;  // the fourth of three
  invalid[6][3] = 4 * 1;      // the only one
  invalid[7][3] = 4 * 4;      // the first of four
  for (const Buffer& datagram : invalid) EXPECT_FALSE(net::decode_piece(datagram));
}

// Packets are checked after they are whole, so they must only stay within the memory for them.
TEST(Pieces, WhateverArrivesAPacketIsBounded) {
  SplitMix64 random(3);
  net::PieceAssembly assembly;
  int whole = 0;
  for (int i = 0; i < 100'000; ++i) {
    Buffer piece = random_bytes(1 + random.below(net::kPacketBytesMax + 1), random);
    piece[0] = static_cast<std::uint8_t>(net::PacketType::piece);
    if (piece.size() > 2 && random.below(2) == 0) piece[1] = piece[2] = 0;
    if (piece.size() > 3) piece[3] = static_cast<std::uint8_t>(random.below(16));
    const auto packet = take(assembly, piece);
    if (!packet) continue;
    ++whole;
    ASSERT_LE(packet->size(), net::kPiecesMax * net::kPacketBytesMax);
    if (packet->size() > net::kPacketBytesMax) {
      EXPECT_FALSE(net::decode_prefix(*packet));
    }
  }
  EXPECT_GT(whole, 1000);
}

}  // namespace
}  // namespace orrery
