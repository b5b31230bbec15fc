// Gets connect tokens from a file, from a key, or from the key of a server on this machine.
#include "client/udp/access.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/core/printable.h"
#include "common/host/net/issued_token.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/net/packet/address_text.h"

namespace orrery::client {
namespace {

// Least time between two readings of a file.
constexpr net::Nanoseconds kReadInterval = net::kSecond / 4;

// Returns true if a file begins as a connect token does, which no key file does.
bool is_token(Bytes file) {
  constexpr std::string_view kStart = "NETCODE ";
  return file.size() >= kStart.size() && std::equal(kStart.begin(), kStart.end(), file.begin());
}

Result<net::ConnectToken> parse_token(const std::string& path, Bytes file) {
  const auto token = net::decode_connect_token(file);
  if (token) return *token;
  return Error{"not a connect token of netcode 1.02; orrery token writes one"}.in(path);
}

Result<net::ConnectToken> read_token(const std::string& path) {
  const auto file = host::read_secret(path, net::kConnectTokenBytes);
  return file ? parse_token(path, file.value()) : file.error();
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

Result<Access> Access::open(const AccessOptions& options, const host::ServerName& server) {
  Access access(options, server);
  const Status read = access.read();
  if (!read) return read.error();
  return access;
}

Status Access::read() {
  if (!options_.token.empty()) return take(read_token(options_.token));
  if (!options_.key_file.empty()) return take(host::read_key_file(options_.key_file));
  if (options_.either.empty()) return take(read_run_key(server()));
  const auto file = host::read_secret(options_.either, host::kKeyFileBytesMax);
  if (!file) return file.error();
  if (is_token(file.value())) return take(parse_token(options_.either, file.value()));
  return take(host::parse_key_file(options_.either, file.value()));
}

Status Access::take(const Result<host::KeyFile>& key) {
  if (!key) return key.error();
  key_ = key.value();
  return ok_status();
}

Status Access::take(const Result<net::ConnectToken>& token) {
  if (!token) return token.error();
  file_ = TokenFile{token.value(), token.value().servers};
  file_->token.servers = servers();
  // The list is in the order of trying, and the client starts at the given address. An address that
  // the token does not list is a relay, or a wish: nothing else is tried.
  bool is_after = false;
  for (const net::Address& address : file_->send_to.span()) {
    if (file_->token.servers.size() == net::AddressList::kMax) break;
    if (servers().index_of(address) < servers().size()) {
      is_after = true;
    } else if (is_after) {
      file_->token.servers.add(address);
    }
  }
  return ok_status();
}

net::ConnectToken Access::issue(std::uint64_t client_id, Role role) const {
  host::TokenChoices choices;
  choices.client_id = client_id;
  choices.role = role;
  choices.servers = key_.server ? net::AddressList{*key_.server} : servers();
  choices.send_to = servers();
  return host::issue_token(key_, choices);
}

net::ConnectToken Access::next(Role role) const {
  return file_ ? file_->token : issue(host::random_u64(), role);
}

TokenSource Access::source(Role role) const {
  return [access = *this, role, client_id = host::random_u64(), used = net::TokenNonce{},
          again_at = net::Nanoseconds{0}, is_first = true, look_until = net::Nanoseconds{0},
          why = std::string()]() mutable -> Result<TokenOffer> {
    const net::Nanoseconds now = host::monotonic_now();
    if (now < again_at) return TokenOffer{{}, why};
    if (!is_first && look_until == 0) {
      access.server_.look_up();
      look_until = now + kLookUpWait;
    }
    if (now < look_until && access.server_.is_looking()) return TokenOffer{};
    look_until = 0;
    again_at = now + kReadInterval;
    why.clear();
    if (!std::exchange(is_first, false)) {
      Result<Access> read = Access::open(access.options_, access.server_);
      if (!read) return TokenOffer{{}, why = read.error().text()};
      access = std::move(read.value());
    }
    if (!access.file_) return TokenOffer{access.issue(client_id, role)};
    const net::ConnectToken& token = access.file_->token;
    if (token.head.nonce == used) return TokenOffer{};
    used = token.head.nonce;
    return TokenOffer{token};
  };
}

}  // namespace orrery::client
