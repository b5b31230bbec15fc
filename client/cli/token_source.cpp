// Gets connect tokens from a file, from a key, or from the key of a server on this machine.
#include "client/cli/token_source.h"

#include <unistd.h>

#include "common/core/printable.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

Result<net::ConnectToken> read_token(const std::string& path) {
  const auto bytes = host::read_secret(path, net::kConnectTokenBytes);
  if (!bytes) return bytes.error();
  const auto token = net::decode_connect_token(bytes.value());
  if (token) return *token;
  return Error{printable(path) + ": not a connect token of netcode 1.02; orrery token writes one"};
}

Result<host::KeyFile> read_run_key(const net::Address& server) {
  if (!net::is_loopback(server)) {
    return Error{net::format_address(server) + ": not on this machine; give --key-file or --token"};
  }
  const std::string path = host::run_key_path(server.port);
  if (::access(path.c_str(), F_OK) == 0) return host::read_key_file(path);
  return Error{"the server at " + net::format_address(server) +
               " did not answer: there is no key at " + path +
               "; start orreryd, or give --key-file or --token"};
}

}  // namespace

void add_access(Verb& verb, AccessOptions& options) {
  const Option key = verb.option("--key-file", options.key_file,
                                 "Make the connect token with the key in this file")
                         .shows_default("the key of a server that you run on this machine")
                         .type("FILE");
  verb.option("--token", options.token, "Connect with the token in this file")
      .type("FILE")
      .excludes(key);
}

net::ConnectToken issue_token(const host::KeyFile& key, const TokenChoices& choices) {
  const std::uint64_t now = host::unix_seconds();
  net::TokenHead head{key.protocol_id, now + choices.seconds, {}};
  net::PrivateToken token{.client_id = choices.client_id,
                          .timeout_seconds = choices.timeout_seconds,
                          .servers = choices.servers};
  host::fill_random(head.nonce);
  host::fill_random(token.client_to_server);
  host::fill_random(token.server_to_client);
  token.user_data[0] = static_cast<std::uint8_t>(choices.role);
  net::mark_created(token, now);
  return net::make_connect_token(host::SodiumCipher(), key.key, head, now, token, choices.send_to);
}

Result<TokenSource> TokenSource::open(const AccessOptions& options, const net::Address& server) {
  TokenSource source(server, options.is_local());
  if (!options.token.empty()) {
    const auto token = read_token(options.token);
    if (!token) return token.error();
    source.file_ = TokenFile{token.value(), token.value().servers};
    source.file_->token.servers = {server};
    return source;
  }
  const auto key =
      options.key_file.empty() ? read_run_key(server) : host::read_key_file(options.key_file);
  if (!key) return key.error();
  source.key_ = key.value();
  return source;
}

net::ConnectToken TokenSource::next(Role role) const {
  if (file_) return file_->token;
  TokenChoices choices;
  choices.client_id = host::random_u64();
  choices.role = role;
  choices.servers = {server_name()};
  choices.send_to = {server_};
  return issue_token(key_, choices);
}

}  // namespace orrery::cli
