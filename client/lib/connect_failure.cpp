// Says why a client did not connect, as far as it can know.
#include "client/lib/connect_failure.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"
#include "common/net/packet/address_text.h"
#include "common/net/timing.h"

namespace orrery::client {
namespace {

// The beginning of the words of a reason that refuses_token().
constexpr std::string_view kRefused = "refused the token: ";

std::string in_seconds(std::uint64_t count) { return std::to_string(count) + " s"; }

std::string text_of(const net::AddressList& servers) {
  std::string text;
  for (const net::Address& address : servers.span()) {
    text += (text.empty() ? "" : ", ") + net::format_address(address);
  }
  return text;
}

ConnectReport expired(const ConnectAttempt& it) {
  if (it.expires <= it.unix_seconds) {
    return {ConnectFailure::token_expired,
            fill_in("the token expired {} ago by this clock; get another",
                    {in_seconds(it.unix_seconds - it.expires)})};
  }
  return {ConnectFailure::token_expired,
          fill_in("the token has expired by the server's clock, but has {} left by this one; set "
                  "the clocks",
                  {in_seconds(it.expires - it.unix_seconds)})};
}

ConnectReport from_the_future(const ConnectAttempt& it) {
  if (it.created > it.unix_seconds) {
    return {ConnectFailure::token_future,
            fill_in("the clock of this machine is {} behind the clock of the token's issuer; set "
                    "the clocks",
                    {in_seconds(it.created - it.unix_seconds)})};
  }
  return {ConnectFailure::token_future,
          "the clock of the token's issuer is ahead of the server's clock; set the clocks"};
}

// A token that every server accepts is too long only by a clock that is behind.
ConnectReport refused_as_too_long(const ConnectAttempt& it) {
  const std::uint64_t life = it.expires - std::min(it.expires, it.created);
  if (life > net::kTokenLifeSeconds) {
    return {ConnectFailure::token_long_life,
            fill_in("the token is valid for {}, longer than the server accepts (--token-life)",
                    {in_seconds(life)})};
  }
  if (it.created <= it.unix_seconds) return from_the_future(it);
  return {
      ConnectFailure::token_future,
      fill_in("the clocks of the server and of this machine are behind the clock of the token's "
              "issuer, this one by {}; set the clocks",
              {in_seconds(it.created - it.unix_seconds)})};
}

ConnectReport lives_too_long(const ConnectAttempt& it, std::string_view limit) {
  const std::uint64_t left = it.expires - std::min(it.expires, it.unix_seconds);
  return {ConnectFailure::token_long_life,
          fill_in("the token is valid for {}, {}", {in_seconds(left), limit})};
}

ConnectReport elsewhere(const ConnectAttempt& it, std::string_view more) {
  return {ConnectFailure::token_elsewhere,
          fill_in("the token is for {}, {}", {text_of(it.servers), more})};
}

// The report lacks the beginning of the words, which says that the server refused the token.
ConnectReport refused(EndReason reason, ConnectFailure cause) {
  const std::string_view words = describe(reason);
  ORRERY_ASSERT(words.starts_with(kRefused));
  return {cause, std::string(words.substr(kRefused.size()))};
}

ConnectReport used() { return refused(EndReason::refused_used, ConnectFailure::token_used); }

ConnectReport said(const ConnectAttempt& it, ConnectFailure cause) {
  return {cause, fill_in("the server {}", {describe(it.reason)})};
}

// Returns the cause that the server gave, or that ended the connection of an accepted client. The
// cause is `unknown` if there is neither.
ConnectReport said_by_server(const ConnectAttempt& it) {
  switch (it.reason) {
    case EndReason::refused_expired:
      return expired(it);
    case EndReason::refused_long_life:
      return refused_as_too_long(it);
    case EndReason::refused_future:
      return from_the_future(it);
    case EndReason::refused_server:
      return elsewhere(it, "and this server has another name (--public)");
    case EndReason::refused_before_start:
      return refused(it.reason, ConnectFailure::token_too_old);
    case EndReason::refused_used:
      return used();
    case EndReason::refused_superseded:
      return refused(it.reason, ConnectFailure::token_outdated);
    case EndReason::kicked:
      return said(it, ConnectFailure::kicked);
    case EndReason::banned:
      return said(it, ConnectFailure::banned);
    case EndReason::refused_banned:
      return refused(it.reason, ConnectFailure::banned);
    case EndReason::full:
      return said(it, ConnectFailure::full);
    case EndReason::other_protocol:
    case EndReason::other_schema:
    case EndReason::other_mode:
      return said(it, ConnectFailure::other_version);
    case EndReason::none:
    case EndReason::asked:
    case EndReason::no_answer:
    case EndReason::token_expired:
      return {};
    case EndReason::silent:
      return said(it, ConnectFailure::silent);
    case EndReason::server_stopped:
      return said(it, ConnectFailure::stopped);
    case EndReason::replaced:
      return said(it, ConnectFailure::replaced);
    default:
      return said(it, ConnectFailure::dropped);
  }
}

// Returns a fault that this side can see in the token: by the clock of this machine, by the address
// that was tried, or because the token was used before. The cause is `unknown` if there is none.
ConnectReport seen_in_token(const ConnectAttempt& it) {
  if (it.expires <= it.unix_seconds) return expired(it);
  if (it.created > it.unix_seconds) return from_the_future(it);
  if (it.used_before) return used();
  if (it.expires - it.unix_seconds > net::kTokenLifeSeconds) {
    return lives_too_long(it, fill_in("but servers accept at most {} without --token-life",
                                      {in_seconds(net::kTokenLifeSeconds)}));
  }
  if (it.servers.index_of(it.server) == it.servers.size()) {
    return elsewhere(it,
                     "not for this address, which is right only if that is the server's --public");
  }
  return {};
}

}  // namespace

ConnectReport explain(const ConnectAttempt& attempt) {
  ConnectReport report = said_by_server(attempt);
  if (report.cause != ConnectFailure::unknown) return report;
  if (attempt.reach == Reach::nobody_listens) {
    return {
        ConnectFailure::nobody_listens,
        "nothing listens there (ICMP says so); start the server, or check the address and port"};
  }
  if (attempt.reach == Reach::unreachable) {
    return {ConnectFailure::unreachable, "nothing can be sent there"};
  }
  if (attempt.heard) {
    return {ConnectFailure::other_program,
            "its answer lets no client in; another program may listen there"};
  }
  report = seen_in_token(attempt);
  if (report.cause != ConnectFailure::unknown) return report;
  return {ConnectFailure::unknown,
          "it is off, or the way is blocked or drops datagrams of 1,078 bytes, or the token has "
          "another key or protocol id"};
}

std::string describe(const ConnectAttempt& attempt, std::string_view if_unknown) {
  const ConnectReport report = explain(attempt);
  std::string server = "the server at " + net::format_address(attempt.server) + " ";
  if (refuses_token(attempt.reason)) return server.append(kRefused).append(report.text);
  const bool was_left = attempt.reason == EndReason::none || attempt.reason == EndReason::asked;
  const EndReason reason = was_left ? EndReason::no_answer : attempt.reason;
  std::string text = server + std::string(describe(reason));
  if (!attempt.goodbye.empty()) return text.append(": ").append(readable(attempt.goodbye.view()));
  if (reason != EndReason::no_answer && reason != EndReason::token_expired) return text;
  const bool replaces = report.cause == ConnectFailure::unknown && !if_unknown.empty();
  return text.append(": ").append(replaces ? if_unknown : report.text);
}

}  // namespace orrery::client
