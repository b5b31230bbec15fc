// Makes server keys and connect tokens for tests.
#pragma once

#include <cstdint>

#include "common/net/gate/gate.h"
#include "tests/support/simulated_network.h"

namespace orrery::test {

// Returns the access data of a server with a fixed test key.
inline net::Access access_of(const net::Address& server) {
  net::Access access;
  access.key.fill(7);
  access.address = server;
  access.key_is_fresh = true;
  return access;
}

// A packet sequence above all that clients reach: clients start at a random number below 2^62.
inline constexpr std::uint64_t kLaterSequence = std::uint64_t{3} << 61;

// The properties of a token. The defaults give a token that the server accepts.
struct TokenChoices {
  Role role = Role::play;
  std::int32_t timeout_seconds = net::kTimeoutSeconds;
  std::uint64_t life = net::kTokenLifeSeconds;
  bool says_created = true;  // false: without the creation time, like tokens of other back ends
  std::uint32_t other_servers = 0;  // number of servers listed before this one
  net::AddressList also{};          // servers listed after this one
};

// Returns a token for a client id. Its keys and nonce are derived from the id and the time, so they
// differ from those of another id or time.
inline net::ConnectToken token_for(const net::Access& access, const SimulatedNetwork& network,
                                   std::uint64_t client_id, const TokenChoices& choices = {}) {
  SplitMix64 random(mix64(client_id) + network.now);
  const auto fill = [&](auto& bytes) {
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  };
  const std::uint64_t created = network.unix_seconds();
  net::TokenHead head{access.protocol_id, created + choices.life, {}};
  fill(head.nonce);
  net::PrivateToken token{.client_id = client_id, .timeout_seconds = choices.timeout_seconds};
  for (std::uint32_t i = 0; i < choices.other_servers; ++i) token.servers.add(address_of(1000 + i));
  token.servers.add(access.address);
  for (const net::Address& other : choices.also.span()) token.servers.add(other);
  fill(token.client_to_server);
  fill(token.server_to_client);
  token.user_data[0] = static_cast<std::uint8_t>(choices.role);
  if (choices.says_created) net::mark_created(token, created);
  return net::make_connect_token(host::SodiumCipher(), access.key, head, created, token,
                                 {access.address});
}

}  // namespace orrery::test
