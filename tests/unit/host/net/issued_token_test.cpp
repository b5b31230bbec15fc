// Tests that a new token contains the choices of its maker, and that only the key opens it.
#include "common/host/net/issued_token.h"

#include <gtest/gtest.h>

#include "common/host/net/sodium_cipher.h"
#include "common/host/process/clock.h"

namespace orrery {
namespace {

const net::Address kServer{.ip = {127, 0, 0, 1}, .port = 4770};

TEST(IssuedToken, SaysWhatItsMakerChose) {
  const host::KeyFile key{.key = net::Key({1, 2, 3}), .protocol_id = 7, .server = {}};
  host::TokenChoices choices;
  choices.client_id = 42;
  choices.role = Role::admin;
  choices.seconds = 30;
  choices.timeout_seconds = 9;
  choices.servers = {kServer};
  choices.send_to = {kServer};
  const std::uint64_t before = host::unix_seconds();
  const net::ConnectToken token = host::issue_token(key, choices);
  EXPECT_GE(token.created, before);
  EXPECT_EQ(token.head.expires, token.created + 30);
  EXPECT_EQ(token.head.protocol_id, 7u);
  EXPECT_EQ(token.timeout_seconds, 9);
  const host::SodiumCipher cipher;
  const auto opened = net::open_private_token(cipher, key.key, token.head, token.sealed);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->client_id, 42u);
  EXPECT_EQ(opened->user_data[0], static_cast<std::uint8_t>(Role::admin));
  EXPECT_EQ(net::created_of(*opened), token.created);
  EXPECT_EQ(opened->servers.index_of(kServer), 0u);
  EXPECT_EQ(opened->client_to_server, token.client_to_server);
  EXPECT_EQ(opened->server_to_client, token.server_to_client);
  EXPECT_FALSE(net::open_private_token(cipher, net::Key({1, 2, 4}), token.head, token.sealed));
}

TEST(IssuedToken, NoTwoTokensShareAKeyOrANonce) {
  const host::KeyFile key{.key = net::Key({1}), .protocol_id = 7, .server = {}};
  host::TokenChoices choices;
  choices.servers = {kServer};
  const net::ConnectToken a = host::issue_token(key, choices);
  const net::ConnectToken b = host::issue_token(key, choices);
  EXPECT_NE(a.head.nonce, b.head.nonce);
  EXPECT_NE(a.client_to_server, b.client_to_server);
  EXPECT_NE(a.client_to_server, a.server_to_client);
}

}  // namespace
}  // namespace orrery
