// Tests tokens and packets against golden bytes of a second implementation.
#include "common/core/limits.h"
#include "common/host/net/sodium_cipher.h"
#include "common/net/packet/connect_token.h"
#include "common/net/packet/packet.h"
#include "gtest/gtest.h"
#include "tests/support/golden_bytes.h"

namespace orrery {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::uint64_t kProtocol = 0x1122334455667788;
constexpr std::uint64_t kClient = 0x0102030405060708;
const host::SodiumCipher kCipher;

template <std::size_t kCount>
std::array<std::uint8_t, kCount> counting(std::size_t first) {
  std::array<std::uint8_t, kCount> bytes;
  for (std::size_t i = 0; i < kCount; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  return bytes;
}

const net::Key kShared = counting<32>(1);
const net::Key kToServer = counting<32>(64);
const net::Key kToClient = counting<32>(128);
const net::Key kChallenges = counting<32>(192);

const Buffer& golden(const std::string& name) {
  static const auto all = test::read_golden_bytes("netcode/packets.txt");
  return all.at(name);
}

net::Address ipv4(std::uint8_t last, std::uint16_t port) {
  net::Address address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, last}, port};
  return address;
}

net::PrivateToken private_token() {
  net::PrivateToken token{.client_id = kClient,
                          .timeout_seconds = 5,
                          .client_to_server = kToServer,
                          .server_to_client = kToClient};
  token.servers.add(ipv4(1, 4770));
  token.servers.add({{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 4771});
  const auto rest = counting<255>(0);
  token.user_data[0] = 1;
  std::copy(rest.begin(), rest.end(), token.user_data.begin() + 1);
  return token;
}

const net::TokenHead kHead{kProtocol, 1700000045, counting<24>(33)};

net::ConnectToken connect_token() {
  const net::PrivateToken token = private_token();
  return net::make_connect_token(kCipher, kShared, kHead, 1700000000, token, token.servers);
}

TEST(Netcode, TokensAreTheGoldenBytes) {
  EXPECT_EQ(net::encode_connect_token(connect_token()), golden("token"));
  Buffer request;
  net::encode_request(connect_token(), request);
  EXPECT_EQ(request, golden("request"));
}

TEST(Netcode, TokensAreReadFromTheGoldenBytes) {
  const auto token = net::decode_connect_token(golden("token"));
  ASSERT_TRUE(token);
  EXPECT_EQ(token->created, 1700000000u);
  EXPECT_EQ(token->timeout_seconds, 5);
  EXPECT_EQ(token->client_to_server, kToServer);
  EXPECT_EQ(token->server_to_client, kToClient);
  ASSERT_EQ(token->servers.size(), 2u);
  EXPECT_EQ(token->servers.span()[1], private_token().servers.span()[1]);

  const auto request = net::decode_request(golden("request"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->head.protocol_id, kProtocol);
  EXPECT_EQ(request->head.expires, 1700000045u);
  const auto opened = net::open_private_token(kCipher, kShared, request->head, request->sealed);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->client_id, kClient);
  EXPECT_EQ(opened->timeout_seconds, 5);
  EXPECT_EQ(opened->client_to_server, kToServer);
  EXPECT_EQ(opened->server_to_client, kToClient);
  EXPECT_EQ(opened->user_data, private_token().user_data);
  EXPECT_EQ(opened->servers.index_of(ipv4(1, 4770)), 0u);
  EXPECT_EQ(opened->servers.index_of(ipv4(2, 4770)), opened->servers.size());
}

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

TEST(Netcode, PacketsAreTheGoldenBytesBothWays) {
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

TEST(Netcode, AChallengeIsOfOneClientOneTokenOneAddressAndOneKey) {
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

// Flips every bit and tries every wrong length.
TEST(Netcode, WhatWasChangedDoesNotOpen) {
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

TEST(Netcode, UnsoundTokensAreRefused) {
  const auto refused = [](std::size_t at, std::uint8_t value) {
    Buffer bytes = golden("token");
    bytes[at] = value;
    return !net::decode_connect_token(bytes);
  };
  const std::size_t count = 13 + 3 * 8 + 24 + 1024 + 4;
  EXPECT_TRUE(refused(11, '3'));        // version
  EXPECT_TRUE(refused(13 + 8 + 7, 1));  // created after its expiry
  EXPECT_TRUE(refused(count, 0));
  EXPECT_TRUE(refused(count, 33));
  EXPECT_TRUE(refused(count + 4, 3));  // address type
  EXPECT_FALSE(refused(2047, 1));      // padding
  EXPECT_FALSE(net::decode_connect_token(Bytes(golden("token")).first(2047)));
}

}  // namespace
}  // namespace orrery
