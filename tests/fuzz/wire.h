// Simulates the network for the fuzz targets of connections, without randomness.
#pragma once

#include <utility>
#include <vector>

#include "common/net/client_endpoint.h"
#include "common/net/server_endpoint.h"
#include "tests/support/open_cipher.h"

namespace orrery::fuzz {

// A network that keeps the sent datagrams in order.
class Wire final : public net::NetEnvironment {
 public:
  void send(const net::Address& to, Bytes datagram) override {
    sent.emplace_back(to, std::vector<std::uint8_t>(datagram.begin(), datagram.end()));
  }
  std::uint64_t random() override { return 5; }
  std::uint64_t keyed_hash(Bytes bytes) const override { return checksum(bytes); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return 1000; }

  std::vector<std::pair<net::Address, std::vector<std::uint8_t>>> sent;

 private:
  test::OpenCipher cipher_;
};

// Returns the access data of a server. The key differs from the zero key of the tokens in the
// corpus, so the server accepts none of these tokens.
inline net::Access access_of(const net::Address& server) {
  net::Access access;
  access.key[0] = 9;
  access.address = server;
  access.key_is_fresh = true;
  return access;
}

// Returns a token for a client. Both keys are zero except for the first byte: `client` towards the
// server, `client` + 100 towards the client.
inline net::ConnectToken token_for(const Wire& wire, const net::Access& access,
                                   std::uint8_t client) {
  net::PrivateToken token{.client_id = client, .timeout_seconds = 5};
  token.servers = {access.address};
  token.client_to_server[0] = client;
  token.server_to_client[0] = static_cast<std::uint8_t>(client + 100);
  token.user_data[0] = static_cast<std::uint8_t>(Role::play);
  net::TokenHead head{net::kDefaultProtocolId, 1045, {}};
  head.nonce[0] = client;
  return net::make_connect_token(wire.cipher(), access.key, head, 1000, token, token.servers);
}

}  // namespace orrery::fuzz
