// Tests which cause of a failed connection is named, and from which facts.
#include "client/lib/connect_failure.h"

#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using client::ConnectAttempt;
using client::ConnectFailure;

constexpr std::uint64_t kNow = 1'700'000'000;
const net::Address kServer = test::address_of(0x7f000001, 4770);

// An attempt without any fact that shows a cause.
ConnectAttempt attempt() {
  return {.created = kNow - 5,
          .expires = kNow + 40,
          .servers = {kServer},
          .server = kServer,
          .unix_seconds = kNow};
}

TEST(ConnectFailure, EveryAnswerOfTheServerHasItsCause) {
  const std::pair<EndReason, ConnectFailure> table[] = {
      {EndReason::refused_expired, ConnectFailure::token_expired},
      {EndReason::refused_long_life, ConnectFailure::token_future},
      {EndReason::refused_future, ConnectFailure::token_future},
      {EndReason::refused_server, ConnectFailure::token_elsewhere},
      {EndReason::refused_before_start, ConnectFailure::token_too_old},
      {EndReason::refused_used, ConnectFailure::token_used},
      {EndReason::refused_superseded, ConnectFailure::token_outdated},
      {EndReason::refused_banned, ConnectFailure::banned},
      {EndReason::kicked, ConnectFailure::kicked},
      {EndReason::banned, ConnectFailure::banned},
      {EndReason::full, ConnectFailure::full},
      {EndReason::other_protocol, ConnectFailure::other_version},
      {EndReason::other_schema, ConnectFailure::other_version},
      {EndReason::other_mode, ConnectFailure::other_version},
      {EndReason::replaced, ConnectFailure::replaced},
      {EndReason::server_stopped, ConnectFailure::stopped},
      {EndReason::silent, ConnectFailure::silent},
      {EndReason::too_slow, ConnectFailure::dropped},
      {EndReason::flooded, ConnectFailure::dropped},
      {EndReason::false_ack, ConnectFailure::dropped},
      {EndReason::no_answer, ConnectFailure::unknown},
  };
  for (const auto& [reason, cause] : table) {
    ConnectAttempt it = attempt();
    it.reason = reason;
    const client::ConnectReport report = client::explain(it);
    EXPECT_EQ(report.cause, cause) << report.text;
    EXPECT_FALSE(report.text.empty() || report.text.ends_with('.'));
    EXPECT_EQ(report.text.find('\n'), std::string::npos);
  }
}

TEST(ConnectFailure, ShowsTheReasonOfAKick) {
  ConnectAttempt it = attempt();
  it.reason = EndReason::kicked;
  EXPECT_TRUE(client::describe(it).ends_with(" removed this client")) << client::describe(it);
  it.goodbye = test::bytes_of<command::Reason>("no \x1b[31mspam");
  EXPECT_TRUE(client::describe(it).ends_with(" removed this client: no ?[31mspam"));
  it.reason = EndReason::banned;
  it.goodbye = test::bytes_of<command::Reason>(std::string(command::Reason::kBytesMax, 'x'));
  it.server.ip.fill(0xff);
  it.server.port = 65535;
  EXPECT_LE(client::describe(it).size(), 255u) << "for orrery_client_info";
}

// The server says that the token has expired. By the clock of this machine it is valid at first.
TEST(ConnectFailure, NamesTheClocksIfTheyDiffer) {
  ConnectAttempt it = attempt();
  it.reason = EndReason::refused_expired;
  EXPECT_EQ(client::explain(it).text,
            "the token has expired by the server's clock, but has 40 s left by this one; set the "
            "clocks");
  it.expires = kNow - 7;
  EXPECT_EQ(client::explain(it).text, "the token expired 7 s ago by this clock; get another");
}

// A slow clock at the server makes a token of 45 s seem valid for longer.
TEST(ConnectFailure, AShortTokenIsNeverCalledTooLong) {
  ConnectAttempt it = attempt();
  it.reason = EndReason::refused_long_life;
  EXPECT_EQ(client::explain(it).text,
            "the clock of the token's issuer is ahead of the server's clock; set the clocks");
  it.created = kNow + 95;
  it.expires = it.created + 45;  // 140 s from now by the clock of this machine
  EXPECT_EQ(client::explain(it).text,
            "the clocks of the server and of this machine are behind the clock of the token's "
            "issuer, this one by 95 s; set the clocks");
  it.reason = EndReason::refused_future;
  EXPECT_EQ(client::explain(it).text,
            "the clock of this machine is 95 s behind the clock of the token's issuer; set the "
            "clocks");
  it.reason = EndReason::no_answer;  // the same is seen without an answer
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_future);
  it.reason = EndReason::refused_long_life;
  it.created = kNow - 5;
  it.expires = kNow + 3595;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_long_life);
  EXPECT_EQ(client::explain(it).text,
            "the token is valid for 3600 s, longer than the server accepts (--token-life)");
}

TEST(ConnectFailure, WithoutAnAnswerTheMostCertainCauseIsNamed) {
  ConnectAttempt it = attempt();
  it.servers = {test::address_of(9)};
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_elsewhere);
  it.expires = kNow + 3600;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_long_life);
  it.used_before = true;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_used);
  it.created = kNow + 1;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_future);
  it.expires = kNow;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_expired);
  it.heard = true;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::other_program);
  it.reach = client::Reach::unreachable;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::unreachable);
  it.reach = client::Reach::nobody_listens;
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::nobody_listens);
  it.reason = EndReason::refused_used;  // anybody can forge ICMP, but not this
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::token_used);
}

// A request is never cut, so a path with an MTU of 576 bytes lets no client connect.
TEST(ConnectFailure, WithoutAnAnswerTheSizeOfTheRequestIsNamed) {
  const ConnectAttempt it = attempt();
  EXPECT_EQ(client::explain(it).cause, ConnectFailure::unknown);
  EXPECT_EQ(net::kRequestBytes, 1078u);
  EXPECT_NE(client::describe(it).find("drops datagrams of 1,078 bytes"), std::string::npos);
}

}  // namespace
}  // namespace orrery
