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

// Returns the pieces of a text, each the text of a packet.
std::vector<Buffer> cut(Bytes text, std::size_t bytes_max, bool drops_larger = false) {
  const net::Cut how = net::cut_of(text.size(), bytes_max);
  std::vector<Buffer> pieces(how.pieces);
  for (std::size_t i = 0; i < how.pieces; ++i) {
    net::encode_piece(text, how, i, drops_larger, pieces[i]);
  }
  return pieces;
}

// Takes a piece in a packet with this sequence, and returns the text that it completes.
std::optional<Bytes> take(net::PieceAssembly& assembly, std::uint64_t sequence, Bytes bytes) {
  const auto piece = net::decode_piece(sequence, bytes);
  return piece ? assembly.take(*piece) : std::nullopt;
}

TEST(Pieces, ATextOfAnySizeComesBackInAnyOrder) {
  SplitMix64 random(1);
  net::PieceAssembly assembly;
  std::uint64_t sequence = 0;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const std::size_t most =
        net::kDatagramBytesMin + random.below(net::kPacketBytesMax - net::kDatagramBytesMin);
    const std::size_t fits = most - net::kAroundTextMax;
    const auto over = static_cast<std::uint32_t>(net::kPayloadBytesMax - fits);
    const Buffer text = random_bytes(fits + 1 + random.below(over), random);
    const auto pieces = cut(text, most);
    ASSERT_GE(pieces.size(), 2u);
    const auto begin = random.below(static_cast<std::uint32_t>(pieces.size()));
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t at = (begin + i) % pieces.size();
      ASSERT_LE(pieces[at].size() + net::kAroundTextMax, most);
      const auto whole = take(assembly, sequence + at, pieces[at]);
      ASSERT_EQ(whole.has_value(), i + 1 == pieces.size());
      if (whole) {
        EXPECT_TRUE(std::ranges::equal(*whole, text));
      }
    }
    sequence += pieces.size() + random.below(4);
  }
}

TEST(Pieces, ALostPieceCostsOnlyItsText) {
  SplitMix64 random(2);
  net::PieceAssembly assembly;
  int whole = 0;
  std::uint64_t sequence = 0;
  for (int number = 0; number < 100; ++number) {
    const Buffer text = random_bytes(net::kPayloadBytesMax, random);
    const auto pieces = cut(text, net::kDatagramBytesMin);
    const std::size_t lost = number % 3 == 0 ? random.below(3) : pieces.size();
    for (std::size_t i = 0; i < pieces.size(); ++i, ++sequence) {
      if (i != lost) whole += take(assembly, sequence, pieces[i]).has_value();
    }
  }
  EXPECT_EQ(whole, 66);
}

TEST(Pieces, SayWhetherThePathDropsLargerOnes) {
  SplitMix64 random(4);
  const Buffer text = random_bytes(net::kPayloadBytesMax, random);
  for (const bool drops_larger : {false, true}) {
    for (const Buffer& piece : cut(text, net::kDatagramBytesMin, drops_larger)) {
      EXPECT_EQ(net::decode_piece(7, piece).value().drops_larger, drops_larger);
    }
  }
}

TEST(Pieces, InvalidOnesAreRefused) {
  SplitMix64 random(5);
  const Buffer valid = cut(random_bytes(net::kPayloadBytesMax, random), 600)[1];
  ASSERT_TRUE(net::decode_piece(1, valid));
  EXPECT_FALSE(net::decode_piece(0, valid));  // the second, before which no sequence is
  std::vector<Buffer> invalid(5, valid);
  invalid[0].resize(0);
  invalid[1].resize(1);
  invalid[2][0] = 4 * 3 + 3;  // the fourth of three
  invalid[3][0] = 4 * 1;      // the only one
  invalid[4][0] = 4 * 4;      // the first of four
  for (const Buffer& bytes : invalid) EXPECT_FALSE(net::decode_piece(1, bytes));
}

// The other side of a connection may send any pieces.
TEST(Pieces, WhateverArrivesATextIsBounded) {
  SplitMix64 random(3);
  net::PieceAssembly assembly;
  int whole = 0;
  for (int i = 0; i < 100'000; ++i) {
    Buffer piece = random_bytes(1 + random.below(800), random);
    piece[0] = static_cast<std::uint8_t>(random.below(16));
    const auto text = take(assembly, random.below(12), piece);
    if (!text) continue;
    ++whole;
    ASSERT_LE(text->size(), net::kPayloadBytesMax);
  }
  EXPECT_GT(whole, 1000);
}

}  // namespace
}  // namespace orrery
