// Owns connect tokens for benchmarks.
#pragma once

#include <cstdint>

#include "common/host/net/sodium_cipher.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/net/gate/gate.h"

namespace orrery::bench {

inline ConnectToken token_for(const Access& access, std::uint64_t client_id) {
  TokenHead head{access.protocol_id, orrery::unix_seconds() + 40, {}};
  fill_random(head.nonce);
  PrivateToken token{.client_id = client_id, .timeout_seconds = 5};
  token.servers = {access.address};
  fill_random(token.client_to_server);
  fill_random(token.server_to_client);
  token.user_data[0] = static_cast<std::uint8_t>(Role::play);
  return make_connect_token(SodiumCipher(), access.key, head, head.expires - 40, token,
                            token.servers);
}

}  // namespace orrery::bench
