// Tests a client that returns with a resumption ticket, without another token.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/unit/client/played.h"

namespace orrery {
namespace {

using client::ClientPhase;
using test::Played;

// A session. Its client has one token. Its server restarts with `restart()`.
struct OneToken : Played {
  explicit OneToken(const client::ClientOptions& options = {}, const test::LinkFaults& faults = {},
                    std::uint64_t seed = 1)
      : Played("free:8", options, faults, seed) {
    run(3);
    gives_tokens = false;
    EXPECT_EQ(client.phase(), ClientPhase::connected) << client.problem();
    EXPECT_EQ(tokens, 1);
  }

  // Cuts the network for a time.
  void cut(double seconds) {
    network.is_cut = true;
    run(seconds);
    network.is_cut = false;
  }
  // Returns the seconds until the client is connected and gets states again; 10 if it does not.
  double seconds_to_return() {
    const net::Nanoseconds start = now();
    const std::uint64_t heard = client.stats().datagrams_received;
    const auto is_back = [&] {
      return client.phase() == ClientPhase::connected && client.stats().datagrams_received > heard;
    };
    while (!is_back() && now() < start + 10 * net::kSecond) run(1.0 / 144);
    return static_cast<double>(now() - start) / net::kSecond;
  }
};

// The figure of a cut of five seconds, and cuts of other lengths: the client is back within two
// seconds, in each mode, with loss.
TEST(ClientTicket, ReturnsAfterACutWithAOneUseToken) {
  double longest = 0;  // seconds to return after a cut of five seconds
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    client::ClientOptions options;
    options.follow = seed % 3 == 0;
    options.plain = seed % 3 == 1;
    const test::LinkFaults faults{.loss_percent = seed % 4 == 0 ? 0u : 5u,
                                  .delay_min = 30 * net::kMillisecond};
    for (const double cut : {0.5, 3.0, 4.9, 5.0, 5.1, 5.5, 20.0}) {
      OneToken session(options, faults, seed);
      session.cut(cut);
      const double seconds = session.seconds_to_return();
      EXPECT_LE(seconds, cut < 6 ? 2 : 5) << "seed " << seed << " cut " << cut;
      if (cut == 5.0) longest = std::max(longest, seconds);
      session.run(7);
      EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
      EXPECT_EQ(session.server.endpoint().peers().count(), 1u);
    }
  }
  std::printf("after a cut of five seconds: at most %.2f s\n", longest);
}

// Each connection brings new tickets.
TEST(ClientTicket, ReturnsAgainAndAgain) {
  OneToken session;
  for (int i = 0; i < 5; ++i) {
    session.cut(6);
    EXPECT_LE(session.seconds_to_return(), 2) << i;
    session.run(6);
  }
  EXPECT_EQ(session.client.stats().connections, 6u);
}

// The path dies again while the client returns: before or after the server has taken the ticket,
// and before or after another one has arrived.
TEST(ClientTicket, ReturnsAfterACutInTheMiddleOfItsReturn) {
  for (int step = 0; step < 90; ++step) {
    SCOPED_TRACE(step);
    OneToken session({}, {.delay_min = 30 * net::kMillisecond});
    session.run(4);
    session.cut(6);
    session.run(step / 144.0);
    session.cut(6);
    EXPECT_LE(session.seconds_to_return(), 5);
  }
}

// A ticket is valid for two minutes, however long the client is willing to try.
TEST(ClientTicket, EndsWhenTheTicketHasExpired) {
  client::ClientOptions options;
  options.reconnect = 1000 * net::kSecond;
  OneToken session(options);
  session.cut(static_cast<double>(net::kTicketLifeSeconds) + 10);
  session.run(5);
  EXPECT_EQ(session.client.phase(), ClientPhase::ended);
  EXPECT_EQ(session.client.problem(), "the server at 0.0.0.1:4770 fell silent; no token is left");
}

// A caller that knows that the path is gone, such as a closed WebSocket, says so.
TEST(ClientTicket, ReturnsAtOnceIfItIsToldThatThePathIsGone) {
  OneToken session;
  session.client.lose(session.now());
  EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
  session.run(0.5);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected);
  EXPECT_EQ(session.client.welcome().client, ClientId{1});
}

// A client that the server threw out does not return by itself.
TEST(ClientTicket, DoesNotReturnAfterItWasThrownOut) {
  OneToken session;
  session.server.stop(session.now());
  session.run(2, false);
  EXPECT_NE(session.client.phase(), ClientPhase::connected);
  EXPECT_EQ(session.client.stats().connections, 1u);
}

// The server was started again and has another key, so it does not answer the ticket. The client
// asks its source after a second, and no longer.
TEST(ClientTicket, AsksForATokenIfTheTicketIsNotAnswered) {
  OneToken session;
  session.client.lose(session.now());
  session.network.unreachable = session.port.address();  // nothing answers
  session.run(1, false);
  EXPECT_EQ(session.tokens, 1);
  session.run(0.5, false);
  EXPECT_GT(session.tokens, 1);
  EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
  session.gives_tokens = true;
  session.network.unreachable = {};
  session.run(1);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
}

}  // namespace
}  // namespace orrery
