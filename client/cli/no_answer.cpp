// Describes how a connection ended, and the possible reasons why a server did not answer.
#include "client/cli/no_answer.h"

#include <cstring>

#include "common/core/fill_in.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

// Returns reasons why a server may not have answered: the client cannot know which one is true. If
// the user gave the client a token file or a key file, the text also names the counters of the
// server that show the reason.
std::string possible_faults(const client::Access& tokens) {
  if (tokens.is_local()) {
    return "it may hang, or another program may listen there; if it runs with --key-file, give "
           "that key or a --token";
  }
  if (tokens.file()) {
    return "it may be off or out of reach; the path may drop datagrams of 1,078 bytes; the token "
           "may have been used before (it admits one "
           "client, once), may be older than "
           "the server's last start, may have another key, protocol id or server, or its client "
           "may be connected already; the server counts why (SIGUSR1): repeated, bad_token, "
           "other_server, connected, expired_token, token_before_start";
  }
  return fill_in(
      "it may be off or out of reach; the path may drop datagrams of 1,078 bytes; it may have "
      "another key or protocol id, another address than "
      "{} or another time; it counts "
      "why (SIGUSR1): bad_token, other_server, expired_token, token_before_start",
      {net::format_address(tokens.server_name())});
}

// Returns a text to append to the guessed cause: the system's error message, or the counters of the
// server that would confirm the guess. Empty if there is nothing to add.
std::string advice(client::ConnectFailure cause, const client::ClientSockets& sockets) {
  switch (cause) {
    case client::ConnectFailure::unreachable:
      return std::string(": ") + std::strerror(sockets.unreachable());
    case client::ConnectFailure::token_long_life:
    case client::ConnectFailure::token_future:
      return "; if that is why, the server counts expired_token (SIGUSR1)";
    case client::ConnectFailure::token_elsewhere:
      return "; the server counts why (SIGUSR1): other_server, repeated, token_before_start";
    default:
      return "";
  }
}

}  // namespace

std::string describe_end(client::ConnectAttempt attempt, const client::ClientSockets& sockets,
                         const client::Access& access) {
  if (access.file()) attempt.servers = access.file()->send_to;
  const std::string text = client::describe(attempt, possible_faults(access));
  const bool is_guess = attempt.reason == EndReason::none || attempt.reason == EndReason::asked ||
                        attempt.reason == EndReason::no_answer ||
                        attempt.reason == EndReason::token_expired;
  return is_guess ? text + advice(client::explain(attempt).cause, sockets) : text;
}

std::string describe_end(const client::UdpClient& client, const client::Access& access) {
  const client::Client& it = client.client();
  if (it.stats().connections > 0) return it.problem();
  return describe_end(it.attempt(), client.sockets(), access);
}

}  // namespace orrery::cli
