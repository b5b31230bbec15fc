// Implements `orrery token`: makes a connect token with the key of the servers.
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/host/net/issued_token.h"
#include "common/host/net/server_name.h"
#include "common/host/process/failure.h"
#include "common/host/process/random.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

struct TokenOptions {
  std::string key_file;
  std::string out;                           // file to create
  std::vector<std::string> servers;          // addresses in the token
  std::vector<std::string> send_to;          // addresses that the client sends to; empty: `servers`
  std::optional<std::uint64_t> client_id;    // nothing: random
  std::optional<std::uint64_t> protocol_id;  // nothing: as in the key file
  std::string role = "play";
  std::string user_data;
  std::uint32_t seconds = net::kTokenLifeSeconds;
  std::int32_t timeout = net::kTimeoutSeconds;
};

Result<net::AddressList> parse_addresses(const std::vector<std::string>& texts) {
  net::AddressList list;
  for (const std::string& text : texts) {
    const auto server = host::ServerName::find(text);
    if (!server) return server.error();
    for (const net::Address& address : server.value().addresses().span()) {
      if (list.size() == net::AddressList::kMax) return Error{"a token has at most 32 addresses"};
      list.add(address);
    }
  }
  return list;
}

constexpr std::pair<std::string_view, Role> kRoles[] = {
    {"watch", Role::watch}, {"play", Role::play}, {"admin", Role::admin}};

// Returns the role with that name, or nothing.
std::optional<Role> role_named(std::string_view name) {
  for (const auto& [known, role] : kRoles) {
    if (known == name) return role;
  }
  return {};
}

int issue(const TokenOptions& options) {
  host::forbid_core_dumps();
  auto key = host::read_key_file(options.key_file);
  if (!key) return unusable("--key-file " + key.error().text());
  if (options.protocol_id) key.value().protocol_id = *options.protocol_id;
  const auto servers = parse_addresses(options.servers);
  if (!servers) return unusable("--server " + servers.error().text());
  const auto send_to = parse_addresses(options.send_to.empty() ? options.servers : options.send_to);
  if (!send_to) return unusable("--send-to " + send_to.error().text());
  host::TokenChoices choices;
  choices.client_id = options.client_id.value_or(host::random_u64());
  choices.role = *role_named(options.role);
  choices.user_data = options.user_data;
  choices.seconds = options.seconds;
  choices.timeout_seconds = options.timeout;
  choices.servers = servers.value();
  choices.send_to = send_to.value();
  const net::ConnectToken token = host::issue_token(key.value(), choices);
  const host::SecretBytes bytes(net::encode_connect_token(token));
  const Status written = host::write_secret(options.out, bytes);
  if (!written) return unusable("--out " + written.error().text() + "; give a new file name");
  if (options.seconds > net::kTokenLifeSeconds) {
    std::fprintf(stderr,
                 "orrery: token: servers reject tokens that are valid for more than %u s; start "
                 "them with --token-life %u\n",
                 net::kTokenLifeSeconds, options.seconds);
  }
  return 0;
}

// Adds the options for the contents of the token.
void add_token_choices(Verb& verb, TokenOptions& options) {
  const auto is_role = [](const std::string& name) {
    return role_named(name) ? "" : name + " is not watch, play or admin";
  };
  verb.option("--role", options.role, "Role of the client: watch, play or admin")
      .shows_default()
      .check(is_role)
      .type("ROLE");
  const auto is_account = [](const std::string& text) {
    return text.find_first_not_of('0') == std::string::npos ? "accounts begin at 1" : "";
  };
  verb.option("--client-id", options.client_id, "Identifier of the client's account, from 1 on")
      .shows_default("random")
      .any_number()
      .check(is_account)
      .type("N");
  const auto fits = [](const std::string& text) {
    return text.size() <= net::kOwnDataBytes ? "" : "the data have at most 240 bytes";
  };
  verb.option("--user-data", options.user_data, "Data for the rules of the session, such as a team")
      .check(fits)
      .type("TEXT");
  verb.option("--seconds", options.seconds,
              "Time in which the client must connect, in seconds. Servers accept at most 45, "
              "or their --token-life")
      .shows_default()
      .whole_number(1, kSecondsMax)
      .type("S");
  verb.option("--timeout", options.timeout, "Silence after which the connection ends, in seconds")
      .shows_default()
      .whole_number(1, kSecondsMax)
      .type("S");
  verb.option("--protocol-id", options.protocol_id,
              "Protocol identifier. The servers must have the same")
      .shows_default("as in the key file")
      .any_number()
      .type("N");
}

}  // namespace

void add_token(Verb& program) {
  auto [verb, options] = program.add_verb(
      "token", "Make a connect token, which admits one client to a server",
      "  orrery token --key-file orrery.key --server 10.0.0.1:4770 --out a.token", issue);
  verb.option("--key-file", options.key_file, "File with the key of the servers")
      .required()
      .type("FILE");
  verb.option("--server", options.servers,
              "Address of a server that accepts the token. Give the option again for more "
              "servers: the client tries them in turn")
      .required()
      .repeatable()
      .type("ADDR:PORT");
  verb.option("--send-to", options.send_to,
              "Address that the client sends to, if it reaches the server by another one. "
              "Repeatable")
      .shows_default("--server")
      .repeatable()
      .type("ADDR:PORT");
  verb.option("--out", options.out, "Write the token to this file. The file must not exist")
      .required()
      .type("FILE");
  add_token_choices(verb, options);
}

}  // namespace orrery::cli
