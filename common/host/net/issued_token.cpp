// Makes connect tokens with the key of a server.
#include "common/host/net/issued_token.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/host/net/sodium_cipher.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"

namespace orrery::host {

net::ConnectToken issue_token(const KeyFile& key, const TokenChoices& choices) {
  const std::uint64_t now = unix_seconds();
  net::TokenHead head{key.protocol_id, now + choices.seconds, {}};
  net::PrivateToken token{.client_id = choices.client_id,
                          .timeout_seconds = choices.timeout_seconds,
                          .servers = choices.servers};
  fill_random(head.nonce);
  fill_random(token.client_to_server);
  fill_random(token.server_to_client);
  token.user_data[0] = static_cast<std::uint8_t>(choices.role);
  net::mark_created(token, now);
  ORRERY_ASSERT(choices.user_data.size() <= net::kOwnDataBytes);
  std::copy(choices.user_data.begin(), choices.user_data.end(),
            token.user_data.end() - net::kOwnDataBytes);
  return net::make_connect_token(SodiumCipher(), key.key, head, now, token, choices.send_to);
}

}  // namespace orrery::host
