// Implements `orrery token`: makes a connect token with the key of the servers.
#include <cstdio>

#include "client/cli/token_source.h"
#include "client/cli/verbs/verbs.h"
#include "common/host/net/udp.h"
#include "common/host/process/random.h"

namespace orrery::cli {
namespace {

Result<net::AddressList> parse_addresses(const std::vector<std::string>& texts) {
  net::AddressList list;
  for (const std::string& text : texts) {
    const auto address = host::parse_destination(text);
    if (!address) return address.error();
    if (list.size() == net::AddressList::kMax) return Error{"a token has at most 32 addresses"};
    list.add(address.value());
  }
  return list;
}

}  // namespace

int issue(const TokenOptions& options) {
  auto key = host::read_key_file(options.key_file);
  if (!key) return unusable("--key-file " + key.error().message);
  if (options.protocol_id) key.value().protocol_id = *options.protocol_id;
  const auto servers = parse_addresses(options.servers);
  if (!servers) return unusable("--server " + servers.error().message);
  const auto send_to = parse_addresses(options.send_to.empty() ? options.servers : options.send_to);
  if (!send_to) return unusable("--send-to " + send_to.error().message);
  TokenChoices choices;
  choices.client_id = options.client_id.value_or(host::random_u64());
  choices.role = options.role;
  choices.seconds = options.seconds;
  choices.timeout_seconds = options.timeout;
  choices.servers = servers.value();
  choices.send_to = send_to.value();
  const net::ConnectToken token = issue_token(key.value(), choices);
  const Status written = host::write_secret(options.out, net::encode_connect_token(token));
  if (!written) return unusable("--out " + written.error().message + "; give a new file name");
  if (options.seconds > net::kTokenLifeSeconds) {
    std::fprintf(stderr,
                 "orrery: token: servers reject tokens that are valid for more than %u s; start "
                 "them with --token-life %u\n",
                 net::kTokenLifeSeconds, options.seconds);
  }
  return 0;
}

}  // namespace orrery::cli
