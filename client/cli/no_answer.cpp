// Owns how a connection ended, in words, and why a server did not answer as far as a client knows.
#include "client/cli/no_answer.h"

#include <cerrno>
#include <cstring>

namespace orrery::cli {
namespace {

std::string seconds(std::uint64_t count) { return std::to_string(count) + " s"; }

// Returns what the token itself shows, against this machine's clock; empty if nothing is wrong.
std::string fault_of(const TokenFile& file, const net::Address& server) {
  const std::uint64_t now = file.read_at;
  const net::ConnectToken& token = file.token;
  if (token.head.expires <= now) {
    return "the token expired " + seconds(now - token.head.expires) +
           " ago by this clock; `orrery token` writes another";
  }
  const std::string counted = "; if so, the server counts expired_token (SIGUSR1)";
  if (token.created > now) {
    return "the token was made " + seconds(token.created - now) +
           " in the future of this clock: clocks may differ" + counted;
  }
  if (token.head.expires - now > net::kTokenLifeSeconds) {
    return "the token is valid for " + seconds(token.head.expires - now) +
           ", and servers take at most " + seconds(net::kTokenLifeSeconds) +
           " unless their --token-life says so" + counted;
  }
  if (file.send_to.index_of(server) < file.send_to.size()) return "";
  std::string listed;
  for (const net::Address& address : file.send_to.span()) {
    listed += (listed.empty() ? "" : ", ") + host::format_address(address);
  }
  return "the token is for " + listed +
         ", not for this address: right only if that is the server's --public; it counts why "
         "(SIGUSR1): other_server, repeated, token_before_start";
}

// Returns what may be wrong that a client cannot see, and the counters that tell it.
std::string possible_faults(const TokenSource& tokens) {
  if (tokens.is_local()) {
    return "it may hang, or another program may listen there; if it has a --key-file, give that "
           "or a --token";
  }
  if (tokens.file()) {
    return "the token may have been used before (it lets one client in, once), be older than the "
           "server's last start, be of another key, protocol id or server, or its client may be "
           "connected already; the server counts why "
           "(SIGUSR1): repeated, bad_token, other_server, connected, expired_token, "
           "token_before_start";
  }
  return "it may have another key or protocol id, another address than " +
         host::format_address(tokens.server_name()) +
         " or another time; it counts why (SIGUSR1): bad_token, other_server, expired_token, "
         "token_before_start";
}

std::string why_no_answer(const client::Connection& connection, const host::UdpNetwork& network,
                          const TokenSource& tokens) {
  const int error = network.unreachable();
  if (error == ECONNREFUSED) {
    return "nothing listens there (ICMP says so); start orreryd, or check the address and port";
  }
  if (error != 0) return std::string("nothing can be sent there: ") + std::strerror(error);
  if (connection.counters().datagrams_received > 0) {
    return "what came from there lets no client in; another program may listen there";
  }
  const std::string seen = tokens.file() ? fault_of(*tokens.file(), tokens.server()) : "";
  return seen.empty() ? possible_faults(tokens) : seen;
}

}  // namespace

std::string describe_end(const client::Connection& connection, const host::UdpNetwork& network,
                         const TokenSource& tokens) {
  const net::EndReason reason = connection.endpoint().end_reason();
  const bool was_left = reason == net::EndReason::none || reason == net::EndReason::asked;
  const std::string text =
      "the server at " + host::format_address(tokens.server()) + " " +
      std::string(net::describe(was_left ? net::EndReason::no_answer : reason));
  const bool answered =
      !was_left && reason != net::EndReason::no_answer && reason != net::EndReason::token_expired;
  return answered ? text : text + ": " + why_no_answer(connection, network, tokens);
}

}  // namespace orrery::cli
