// Owns where a verb that connects has its tokens from: a file, a key, or a server on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/cli/verbs/verbs.h"
#include "common/core/result.h"
#include "common/host/net/key_file.h"
#include "common/host/net/sodium_cipher.h"

namespace orrery::cli {

// What a token is to say.
struct TokenChoices {
  std::uint64_t client_id = 0;
  Role role = Role::play;
  std::uint32_t seconds = net::kTokenLifeSeconds;
  std::int32_t timeout_seconds = net::kTimeoutSeconds;
  net::AddressList servers;  // by their own addresses
  net::AddressList send_to;
};

// Seals a token with the key of a file; keys and nonce are drawn.
net::ConnectToken issue_token(const host::KeyFile& key, const TokenChoices& choices);

// A token that was read from a file.
struct TokenFile {
  net::ConnectToken token;
  net::AddressList
      send_to;  // as the file has it; the token has the address that the verb was given
  std::uint64_t read_at = 0;  // Unix seconds
};

class TokenSource {
 public:
  // Without a token or a key file: the key that a server of this user, on this machine and at this
  // port, has drawn for its run. An Error is one line.
  static Result<TokenSource> open(const AccessOptions& options, const net::Address& server);

  // For a connection to the server; of a file there is one token only.
  net::ConnectToken next(Role role) const;
  const net::Address& server() const { return server_; }
  // The key is that of a server of this user on this machine.
  bool is_local() const { return is_local_; }
  bool has_one_only() const { return file_.has_value(); }
  const std::optional<TokenFile>& file() const { return file_; }
  // What tokens that are issued here call the server.
  net::Address server_name() const { return key_.server.value_or(server_); }

 private:
  TokenSource(const net::Address& server, bool is_local) : server_(server), is_local_(is_local) {}

  net::Address server_;
  bool is_local_;
  host::KeyFile key_;
  std::optional<TokenFile> file_;
};

}  // namespace orrery::cli
