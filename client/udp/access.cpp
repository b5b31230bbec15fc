// Gets connect tokens from a file, from a key, or from the key of a server on this machine.
#include "client/udp/access.h"

#include <unistd.h>

#include "common/core/printable.h"
#include "common/host/net/issued_token.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/net/packet/address_text.h"

namespace orrery::client {
namespace {

// Least time between two readings of the files, for another token.
constexpr net::Nanoseconds kReadInterval = net::kSecond / 4;

Result<net::ConnectToken> read_token(const std::string& path) {
  const auto bytes = host::read_secret(path, net::kConnectTokenBytes);
  if (!bytes) return bytes.error();
  const auto token = net::decode_connect_token(bytes.value());
  if (token) return *token;
  return Error{printable(path) + ": not a connect token of netcode 1.02; orrery token writes one"};
}

Result<host::KeyFile> read_run_key(const net::Address& server) {
  if (!net::is_loopback(server)) {
    return Error{net::format_address(server) + ": not on this machine; give a key file or a token"};
  }
  const std::string path = host::run_key_path(server.port);
  if (::access(path.c_str(), F_OK) == 0) return host::read_key_file(path);
  return Error{"the server at " + net::format_address(server) +
               " did not answer: there is no key at " + path +
               "; start orreryd, or give a key file or a token"};
}

}  // namespace

Result<Access> Access::open(const AccessOptions& options, const net::Address& server) {
  Access access(server, options.is_local());
  if (!options.token.empty()) {
    const auto token = read_token(options.token);
    if (!token) return token.error();
    access.file_ = TokenFile{token.value(), token.value().servers};
    access.file_->token.servers = {server};
    return access;
  }
  const auto key =
      options.key_file.empty() ? read_run_key(server) : host::read_key_file(options.key_file);
  if (!key) return key.error();
  access.key_ = key.value();
  return access;
}

net::ConnectToken Access::issue(std::uint64_t client_id, Role role) const {
  host::TokenChoices choices;
  choices.client_id = client_id;
  choices.role = role;
  choices.servers = {server_name()};
  choices.send_to = {server_};
  return host::issue_token(key_, choices);
}

net::ConnectToken Access::next(Role role) const {
  return file_ ? file_->token : issue(host::random_u64(), role);
}

TokenSource Access::source(const AccessOptions& options, Role role) const {
  return [options, role, server = server_, client_id = host::random_u64(), used = net::TokenNonce{},
          again_at = net::Nanoseconds{0}]() mutable -> Result<std::optional<net::ConnectToken>> {
    const net::Nanoseconds now = host::monotonic_now();
    if (now < again_at) return std::optional<net::ConnectToken>();
    again_at = now + kReadInterval;
    const Result<Access> access = Access::open(options, server);
    if (!access) return std::optional<net::ConnectToken>();
    const auto& file = access.value().file_;
    if (!file) return std::optional(access.value().issue(client_id, role));
    if (file->token.head.nonce == used) return std::optional<net::ConnectToken>();
    used = file->token.head.nonce;
    return std::optional(file->token);
  };
}

}  // namespace orrery::client
