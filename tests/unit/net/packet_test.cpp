// Tests packets against golden bytes of a second implementation.
#include "common/net/packet/packet.h"

#include <array>
#include <vector>

#include "common/core/limits.h"
#include "gtest/gtest.h"
#include "tests/unit/net/netcode_golden.h"

namespace orrery {
namespace {

using test::Buffer;
using test::counting;
using test::golden;
using test::kChallenges;
using test::kCipher;
using test::kClient;
using test::kProtocol;
using test::kShared;
using test::kToClient;
using test::kToServer;

struct Sample {
  const char* name;
  net::PacketType type;
  std::uint64_t sequence;
  net::Key key;
  Buffer text;
};

std::vector<Sample> samples() {
  const net::ChallengeText challenge =
      net::make_challenge(kCipher, kChallenges, 0, {.client_id = kClient});
  const Buffer challenge_text(challenge.begin(), challenge.end());
  const auto payload = counting<100>(0);
  const auto longest = counting<net::kPayloadBytesMax>(5);
  const std::uint64_t high = std::uint64_t{1} << 63;
  return {{"denied", net::PacketType::denied, high + 1, kToClient, {}},
          {"challenge", net::PacketType::challenge, high, kToClient, challenge_text},
          {"response", net::PacketType::response, 0, kToServer, challenge_text},
          {"keep-alive", net::PacketType::keep_alive, 255, kToClient, {3, 0, 0, 0, 0, 4, 0, 0}},
          {"payload", net::PacketType::payload, 256, kToServer, {payload.begin(), payload.end()}},
          {"longest-payload",
           net::PacketType::payload,
           (std::uint64_t{1} << 40) + 7,
           kToClient,
           {longest.begin(), longest.end()}},
          {"disconnect", net::PacketType::disconnect, 65536, kToServer, {}}};
}

TEST(Packet, PacketsAreTheGoldenBytesBothWays) {
  const net::PacketSealer sealer(kCipher, kProtocol);
  std::array<std::uint8_t, net::kPacketBytesMax> text;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    Buffer packet;
    sealer.seal(sample.key, sample.type, sample.sequence, sample.text, packet);
    EXPECT_EQ(packet, golden(sample.name));
    EXPECT_EQ(packet.size(), net::packet_bytes(sample.sequence, sample.text.size()));
    const auto prefix = net::decode_prefix(golden(sample.name));
    ASSERT_TRUE(prefix);
    EXPECT_EQ(prefix->type, sample.type);
    EXPECT_EQ(prefix->sequence, sample.sequence);
    const auto opened = sealer.open(sample.key, *prefix, golden(sample.name), text);
    ASSERT_TRUE(opened);
    EXPECT_EQ(Buffer(opened->begin(), opened->end()), sample.text);
    EXPECT_FALSE(net::PacketSealer(kCipher, kProtocol + 1)
                     .open(sample.key, *prefix, golden(sample.name), text));
  }
  EXPECT_LE(static_cast<double>(golden("challenge").size()),
            limits::kAmplificationMax * static_cast<double>(net::kRequestBytes));
}

// Over a WebSocket the seal does not encrypt: packets are clear text. They have the same form and
// size as sealed ones (schema/wire.md 15).
TEST(Packet, PacketsOverAWebSocketAreClearAndProveTheirKey) {
  const net::PacketSealer sealer(kCipher, kProtocol);
  std::array<std::uint8_t, net::kPacketBytesMax> text;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    Buffer packet;
    sealer.seal(sample.key, sample.type, sample.sequence, sample.text, packet,
                net::Carrier::websocket);
    const auto prefix = net::decode_prefix(packet);
    ASSERT_TRUE(prefix);
    Buffer expected = golden(sample.name);
    expected.resize(prefix->bytes);
    expected.insert(expected.end(), sample.text.begin(), sample.text.end());
    expected.insert(expected.end(), sample.key.begin(), sample.key.begin() + net::kSealBytes);
    EXPECT_EQ(packet, expected);
    const auto opened = sealer.open(sample.key, *prefix, packet, text, net::Carrier::websocket);
    ASSERT_TRUE(opened);
    EXPECT_EQ(Buffer(opened->begin(), opened->end()), sample.text);
    EXPECT_FALSE(sealer.open(sample.key, *prefix, packet, text));
    EXPECT_FALSE(sealer.open(sample.key, *net::decode_prefix(golden(sample.name)),
                             golden(sample.name), text, net::Carrier::websocket));
    EXPECT_FALSE(sealer.open({}, *prefix, packet, text, net::Carrier::websocket));
    packet.back() ^= 1;
    EXPECT_FALSE(sealer.open(sample.key, *prefix, packet, text, net::Carrier::websocket));
  }
}

TEST(Packet, AChallengeIsOfOneClientOneTokenOneAddressAndOneKey) {
  const net::Seal token{7};
  const net::Address here{{1}, 5};
  const net::ChallengeText text =
      net::make_challenge(kCipher, kChallenges, 9, {kClient, token, here});
  const auto fits = [&](const net::Key& key, const net::ChallengeSubject& whom) {
    return net::is_challenge(kCipher, key, text, whom);
  };
  EXPECT_TRUE(fits(kChallenges, {kClient, token, here}));
  EXPECT_FALSE(fits(kChallenges, {kClient + 1, token, here}));
  EXPECT_FALSE(fits(kChallenges, {kClient, net::Seal{8}, here}));
  EXPECT_FALSE(fits(kChallenges, {kClient, token, {{2}, 5}}));
  EXPECT_FALSE(fits(kChallenges, {kClient, token, {{1}, 6}}));
  EXPECT_FALSE(fits(kShared, {kClient, token, here}));
}

// Flips every bit of each packet, and cuts it to every shorter length. Flips every third bit of the
// request.
TEST(Packet, WhatWasChangedDoesNotOpen) {
  const net::PacketSealer sealer(kCipher, kProtocol);
  std::array<std::uint8_t, net::kPacketBytesMax> text;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const auto opens = [&](const Buffer& packet) {
      const auto prefix = net::decode_prefix(packet);
      return prefix && sealer.open(sample.key, *prefix, packet, text);
    };
    for (std::size_t bit = 0; bit < 8 * golden(sample.name).size(); ++bit) {
      Buffer packet = golden(sample.name);
      packet[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      ASSERT_FALSE(opens(packet)) << bit;
    }
    for (std::size_t size = 0; size < golden(sample.name).size(); ++size) {
      const Buffer& whole = golden(sample.name);
      ASSERT_FALSE(opens(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));
    }
  }
  for (std::size_t bit = 0; bit < 8 * net::kRequestBytes; bit += 3) {
    Buffer bytes = golden("request");
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    const auto request = net::decode_request(bytes);
    ASSERT_FALSE(request &&
                 net::open_private_token(kCipher, kShared, request->head, request->sealed));
  }
}

}  // namespace
}  // namespace orrery
