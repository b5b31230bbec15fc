// Simulates the back end that issues connect tokens for the server.
#pragma once

#include <cstdint>

#include "common/core/rng.h"
#include "common/net/gate/gate.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// An issuer of tokens with its own random stream.
class Issuer {
 public:
  // REQUIRES: the network and the cipher outlive the issuer.
  Issuer(const Network& network, const net::Cipher& cipher, const net::Access& access,
         std::uint64_t seed)
      : network_(network), cipher_(cipher), access_(access), random_(seed) {}

  const net::Access& access() const { return access_; }

  // Returns a new token with new keys.
  net::ConnectToken issue(std::uint64_t client_id, Role role) {
    return issue(client_id, role, access_.key, access_.address, net::kTokenLifeSeconds);
  }
  // Returns a token that may be invalid: with another key or server, too old, or with too long a
  // lifetime. `life` and `age` are in seconds.
  net::ConnectToken issue(std::uint64_t client_id, Role role, const net::Key& key,
                          const net::Address& server, std::uint64_t life, std::uint64_t age = 0) {
    const std::uint64_t created = network_.unix_seconds() - age;
    net::TokenHead head{access_.protocol_id, created + life, {}};
    fill(head.nonce);
    net::PrivateToken token{.client_id = client_id, .timeout_seconds = net::kTimeoutSeconds};
    token.servers.add(server);
    fill(token.client_to_server);
    fill(token.server_to_client);
    token.user_data[0] = static_cast<std::uint8_t>(role);
    return net::make_connect_token(cipher_, key, head, created, token, {access_.address});
  }

 private:
  template <class Array>
  void fill(Array& bytes) {
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_.next());
  }

  const Network& network_;
  const net::Cipher& cipher_;
  const net::Access access_;
  SplitMix64 random_;
};

}  // namespace orrery::fleet
