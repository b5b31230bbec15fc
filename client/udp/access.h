// Gets connect tokens from a file, from a key, or from the key of a server on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/lib/client.h"
#include "common/core/result.h"
#include "common/host/net/key_file.h"
#include "common/host/net/sodium_cipher.h"
#include "common/world/command.h"

namespace orrery::client {

// The files that let a client in. If both paths are empty, the client uses the key of a server that
// the same user runs on this machine.
struct AccessOptions {
  std::string key_file;  // key of the server; common/host/net/key_file.h has its form
  std::string token;     // one connect token, as `orrery token` writes it

  // Returns true if both paths are empty.
  bool is_local() const { return key_file.empty() && token.empty(); }
};

// A token from a file.
struct TokenFile {
  net::ConnectToken token;
  // The addresses in the file. `token` contains instead the address that the caller gave.
  net::AddressList send_to;
};

// The access to one server: a key or a token file.
class Access {
 public:
  // Opens the token or key file. Without either, reads the key that a server of the same user on
  // this machine wrote when it started, for the port in `server`. An Error is one line.
  static Result<Access> open(const AccessOptions& options, const net::Address& server);

  // Returns a token for a connection to the server: from a key a new one, with a random client id,
  // and from a token file the same one each time.
  net::ConnectToken next(Role role) const;
  // Returns a source that reads the files again for each connection, as a server that starts again
  // has another key of its own. If they are missing, or a token file has no new token, it has no
  // token yet. All its tokens that were made with a key have the same client id, so that a new
  // connection replaces an old one.
  TokenSource source(const AccessOptions& options, Role role) const;

  // Returns the address that the client sends to.
  const net::Address& server() const { return server_; }
  // Returns true if a server of this user on this machine wrote the key.
  bool is_local() const { return is_local_; }
  bool has_one_only() const { return file_.has_value(); }
  const std::optional<TokenFile>& file() const { return file_; }
  // Returns the address of the server that new tokens contain.
  net::Address server_name() const { return key_.server.value_or(server_); }

 private:
  Access(const net::Address& server, bool is_local) : server_(server), is_local_(is_local) {}
  net::ConnectToken issue(std::uint64_t client_id, Role role) const;

  net::Address server_;
  bool is_local_;
  host::KeyFile key_;
  std::optional<TokenFile> file_;
};

}  // namespace orrery::client
