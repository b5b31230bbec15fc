// Makes connect tokens with the key of a server.
#pragma once

#include <cstdint>
#include <string>

#include "common/host/net/key_file.h"
#include "common/net/packet/connect_token.h"
#include "common/net/timing.h"
#include "common/world/command.h"

namespace orrery::host {

// The contents of a new token.
struct TokenChoices {
  std::uint64_t client_id = 0;
  Role role = Role::play;
  std::uint32_t seconds = net::kTokenLifeSeconds;       // time until the token expires
  std::int32_t timeout_seconds = net::kTimeoutSeconds;  // silence that ends the connection
  std::string user_data;     // for the rules of the session, at most net::kOwnDataBytes
  net::AddressList servers;  // sealed in the token; a server must find its own address in it
  net::AddressList send_to;  // addresses that the client tries in turn
};

// Makes a token and seals it with the key. Its session keys and nonce are random.
net::ConnectToken issue_token(const KeyFile& key, const TokenChoices& choices);

}  // namespace orrery::host
