// Describes how a connection ended, and why a server may not have answered.
#include "client/cli/no_answer.h"

#include <cerrno>
#include <cstring>

#include "common/core/fill_in.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

std::string seconds(std::uint64_t count) { return std::to_string(count) + " s"; }

// Returns the fault that can be seen in the token itself, such as an expiry by this machine's
// clock; empty if there is none.
std::string fault_of(const TokenFile& file, const net::Address& server) {
  const std::uint64_t now = file.read_at;
  const net::ConnectToken& token = file.token;
  if (token.head.expires <= now) {
    return fill_in("the token expired {} ago by this clock; `orrery token` makes another",
                   {seconds(now - token.head.expires)});
  }
  if (token.created > now) {
    return fill_in(
        "the token was made {} in the future of this clock: set the clocks; if they differ, the "
        "server counts expired_token (SIGUSR1)",
        {seconds(token.created - now)});
  }
  if (token.head.expires - now > net::kTokenLifeSeconds) {
    return fill_in(
        "the token is valid for {}, but servers accept at most {} without --token-life; if that "
        "is why, the server counts expired_token (SIGUSR1)",
        {seconds(token.head.expires - now), seconds(net::kTokenLifeSeconds)});
  }
  if (file.send_to.index_of(server) < file.send_to.size()) return "";
  std::string listed;
  for (const net::Address& address : file.send_to.span()) {
    listed += (listed.empty() ? "" : ", ") + net::format_address(address);
  }
  return fill_in(
      "the token is for {}, not for this address, which is right only if that is the server's "
      "--public; the server counts why (SIGUSR1): other_server, repeated, token_before_start",
      {listed});
}

// Lists the causes that a client cannot see. If the client has a token or key file, also lists the
// counters of the server that show the cause.
std::string possible_faults(const TokenSource& tokens) {
  if (tokens.is_local()) {
    return "it may hang, or another program may listen there; if it runs with --key-file, give "
           "that key or a --token";
  }
  if (tokens.file()) {
    return "the token may have been used before (it admits one client, once), may be older than "
           "the server's last start, may have another key, protocol id or server, or its client "
           "may be connected already; the server counts why (SIGUSR1): repeated, bad_token, "
           "other_server, connected, expired_token, token_before_start";
  }
  return fill_in(
      "it may have another key or protocol id, another address than {} or another time; it counts "
      "why (SIGUSR1): bad_token, other_server, expired_token, token_before_start",
      {net::format_address(tokens.server_name())});
}

std::string why_no_answer(const client::Connection& connection, const host::UdpNetwork& network,
                          const TokenSource& tokens) {
  const int error = network.unreachable();
  if (error == ECONNREFUSED) {
    return "nothing listens there (ICMP says so); start orreryd, or check the address and port";
  }
  if (error != 0) return std::string("nothing can be sent there: ") + std::strerror(error);
  if (connection.counters().datagrams_received > 0) {
    return "its answer lets no client in; another program may listen there";
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
      "the server at " + net::format_address(tokens.server()) + " " +
      std::string(net::describe(was_left ? net::EndReason::no_answer : reason));
  const bool answered =
      !was_left && reason != net::EndReason::no_answer && reason != net::EndReason::token_expired;
  return answered ? text : text + ": " + why_no_answer(connection, network, tokens);
}

}  // namespace orrery::cli
