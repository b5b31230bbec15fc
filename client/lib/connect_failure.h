// Says why a client did not connect, as far as it can know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/net/client_endpoint.h"

namespace orrery::client {

// The cause of a connection that was not established, or was lost.
enum class ConnectFailure : std::uint8_t {
  none,
  nobody_listens,   // ICMP says that no program has the port; anybody can forge ICMP
  unreachable,      // the system cannot send to the address
  full,             // the server has no free slot
  other_version,    // the server has another protocol, schema or rules, or does not offer the mode
  token_expired,    // the token has expired by the server's clock, or by this one
  token_long_life,  // the token is valid for longer than the server allows
  token_future,     // the token was created in the future of the server's clock, or of this one
  token_elsewhere,  // the token is for another server
  token_too_old,    // the token may be older than the server's start, so it may be used
  token_used,       // the token has made a connection
  token_outdated,   // the client already connects with a newer token
  other_program,    // something answers, but not with the keys of the token
  unknown,          // no answer, and the token shows no fault
  silent,           // the server fell silent
  stopped,          // the server stopped
  replaced,         // a newer connection of the same client took the place
  dropped,          // the server dropped the client
  no_token,         // the source of tokens gave an error before the first connection
  kicked,           // an admin or the rules of the session removed the client
  banned,           // likewise, for the rest of the session
};

// A report of the network about the server's address.
enum class Reach : std::uint8_t { no_report, nobody_listens, unreachable };

// An attempt to connect, or a connection, that has ended.
struct ConnectAttempt {
  EndReason reason = EndReason::no_answer;
  command::Reason goodbye{};       // the server's text for people
  std::uint64_t created = 0;       // of the token, in Unix seconds
  std::uint64_t expires = 0;       // of the token, in Unix seconds
  net::AddressList servers{};      // addresses in the token
  net::Address server{};           // address that the client sent to
  std::uint64_t unix_seconds = 0;  // by the clock of this machine
  Reach reach = Reach::no_report;  // report of the network
  bool heard = false;              // any datagram arrived
  bool used_before = false;        // the previous attempt of this client used the same token
};

// A cause, and a text for people that begins in lower case and has no full stop.
struct ConnectReport {
  ConnectFailure cause = ConnectFailure::unknown;
  std::string text;
};

// Returns the most certain cause. An answer of the server is more certain than a guess from the
// token.
ConnectReport explain(const ConnectAttempt& attempt);

// Returns the end of a connection as one sentence that begins with "the server at ADDR:PORT".
// `if_unknown` replaces the text of an unknown cause, unless it is empty.
std::string describe(const ConnectAttempt& attempt, std::string_view if_unknown = {});

}  // namespace orrery::client
