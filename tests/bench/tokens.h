// Makes connect tokens for benchmarks.
#pragma once

#include <cstdint>

#include "common/host/net/sodium_cipher.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/net/gate/gate.h"

namespace orrery::bench {

// Returns a token with random keys that is valid for 40 seconds.
inline net::ConnectToken token_for(const net::Access& access, std::uint64_t client_id) {
  net::TokenHead head{access.protocol_id, orrery::host::unix_seconds() + 40, {}};
  host::fill_random(head.nonce);
  net::PrivateToken token{.client_id = client_id, .timeout_seconds = 5};
  token.servers = {access.address};
  host::fill_random(token.client_to_server);
  host::fill_random(token.server_to_client);
  token.user_data[0] = static_cast<std::uint8_t>(Role::play);
  return net::make_connect_token(host::SodiumCipher(), access.key, head, head.expires - 40, token,
                                 token.servers);
}

}  // namespace orrery::bench
