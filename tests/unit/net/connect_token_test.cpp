// Tests connect tokens and requests against golden bytes of a second implementation.
#include "common/net/packet/connect_token.h"

#include <vector>

#include "common/net/packet/packet.h"
#include "gtest/gtest.h"
#include "tests/unit/net/netcode_golden.h"

namespace orrery {
namespace {

using test::Buffer;
using test::connect_token;
using test::golden;
using test::ipv4;
using test::kCipher;
using test::kClient;
using test::kProtocol;
using test::kShared;
using test::kToClient;
using test::kToServer;
using test::private_token;

TEST(ConnectToken, TokensAreTheGoldenBytes) {
  EXPECT_EQ(net::encode_connect_token(connect_token()), golden("token"));
  Buffer request;
  net::encode_request(connect_token(), request);
  EXPECT_EQ(request, golden("request"));
}

TEST(ConnectToken, TokensAreReadFromTheGoldenBytes) {
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

TEST(ConnectToken, UnsoundTokensAreRefused) {
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
