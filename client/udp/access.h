// Gets connect tokens from a file, from a key, or from the key of a server on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/lib/client.h"
#include "common/core/result.h"
#include "common/host/net/key_file.h"
#include "common/host/net/server_name.h"
#include "common/host/net/sodium_cipher.h"
#include "common/world/command.h"

namespace orrery::client {

// Longest time for which a reconnecting client waits for the addresses of its server's name.
inline constexpr net::Nanoseconds kLookUpWait = net::kSecond;

// The path of the file that lets a client in. At most one of the paths is set. If all are empty,
// the client uses the key of a server that the same user runs on this machine.
struct AccessOptions {
  std::string key_file = {};  // key of the server; common/host/net/key_file.h has its form
  std::string token = {};     // one connect token, as `orrery token` writes it
  std::string either = {};    // a file of one of these kinds

  // Returns true if all paths are empty.
  bool is_local() const { return key_file.empty() && token.empty() && either.empty(); }
};

// A token from a file.
struct TokenFile {
  net::ConnectToken token;
  // The addresses in the file. `token` contains the addresses that the caller gave, and then those
  // that the file lists after one of them.
  net::AddressList send_to;
};

// The access to one server: a key or a token file.
class Access {
 public:
  // Reads the token or key file. Without a path, reads the key that a server of the same user on
  // this machine wrote when it started, for the port in `server`. An Error is one line.
  static Result<Access> open(const AccessOptions& options, const host::ServerName& server);

  // Returns a token for a connection to the server: from a key a new one, with a random client id,
  // and from a token file the same one each time.
  net::ConnectToken next(Role role) const;
  // Returns a source of tokens. It reads the file again for each later connection, because a server
  // that starts again may have another key. While the file cannot be read, or has no new token, the
  // source has no token. It reads the file at most four times a second, and has no token in
  // between. All tokens that it makes with a key have the same client id, so that a new connection
  // replaces an old one. The source also looks up the name of the server again, and has no token
  // for up to kLookUpWait meanwhile. After that, it uses the addresses that it knows.
  TokenSource source(Role role) const;

  // Returns the addresses that the client sends to, and the first of them.
  const net::AddressList& servers() const { return server_.addresses(); }
  const net::Address& server() const { return server_.first(); }
  // Returns true if a server of this user on this machine wrote the key.
  bool is_local() const { return options_.is_local(); }
  bool has_one_only() const { return file_.has_value(); }
  const std::optional<TokenFile>& file() const { return file_; }
  // Returns the address of the server that new tokens contain first.
  net::Address server_name() const { return key_.server.value_or(server()); }

 private:
  Access(const AccessOptions& options, const host::ServerName& server)
      : options_(options), server_(server) {}
  Status read();
  Status take(const Result<host::KeyFile>& key);
  Status take(const Result<net::ConnectToken>& token);
  net::ConnectToken issue(std::uint64_t client_id, Role role) const;

  AccessOptions options_;
  host::ServerName server_;
  host::KeyFile key_;
  std::optional<TokenFile> file_;
};

}  // namespace orrery::client
