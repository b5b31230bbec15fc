// Tests how a connection continues after the address of its client has changed.
#include "common/net/server_moves.h"

#include <cstdio>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/moves/journey.h"

namespace orrery {
namespace {

using test::address_of;
using test::config;
using test::Journey;
using test::kServerAddress;

using test::LinkFaults;

TEST(Moves, AConnectionContinuesFromAnotherAddressWithinTwoSeconds) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  ASSERT_TRUE(journey.connected());
  const net::Nanoseconds silent = journey.move_to(60);
  std::printf("silent for %.2f s\n", static_cast<double>(silent) / net::kSecond);
  EXPECT_LT(silent, 2 * net::kSecond);
  journey.run(20 * net::kSecond);
  EXPECT_TRUE(journey.connected());
  EXPECT_TRUE(std::equal(journey.seen_at().ip.begin(), journey.seen_at().ip.end(),
                         address_of(60).ip.begin()));
  EXPECT_EQ(journey.joins, 1);
  EXPECT_EQ(journey.leaves, 0);
  EXPECT_EQ(journey.server->counters().moves, 1u);
}

TEST(Moves, AgainAndAgainOverABadNetwork) {
  const LinkFaults faults{
      .loss_percent = 20, .duplicate_percent = 20, .delay_max = 100 * net::kMillisecond};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Journey journey(seed, faults);
    journey.connect();
    journey.run(3 * net::kSecond);
    ASSERT_TRUE(journey.connected());
    for (std::uint32_t host = 60; host < 70; ++host) {
      journey.laptop.move_to(host);
      journey.run(4 * net::kSecond);
      ASSERT_TRUE(journey.connected());
      ASSERT_TRUE(std::equal(journey.seen_at().ip.begin(), journey.seen_at().ip.end(),
                             address_of(host).ip.begin()));
    }
    EXPECT_EQ(journey.joins, 1);
    EXPECT_EQ(journey.leaves, 0);
  }
}

// The token was valid for 45 s, and admitted its client once. Both do not matter: the connection is
// there.
TEST(Moves, LongAfterTheTokenHasExpired) {
  Journey journey;
  journey.connect();
  journey.run(100 * net::kSecond);
  EXPECT_LT(journey.move_to(60), 2 * net::kSecond);
  EXPECT_EQ(journey.joins, 1);
}

TEST(Moves, APausedServerLosesNobody) {
  for (const net::Nanoseconds pause :
       {net::kSecond / 2, 3 * net::kSecond / 2, 3 * net::kSecond, 9 * net::kSecond / 2}) {
    Journey journey;
    journey.connect();
    journey.run(net::kSecond);
    journey.serves = false;
    journey.run(pause);
    EXPECT_EQ(journey.client->is_silent(journey.network.now), pause > net::kSilentAfter);
    journey.serves = true;
    journey.run(3 * net::kSecond);
    EXPECT_TRUE(journey.connected());
    EXPECT_FALSE(journey.client->is_silent(journey.network.now));
    EXPECT_EQ(journey.joins, 1);
    EXPECT_EQ(journey.leaves, 0);
  }
}

// The addresses are tried in turn, and each try has another route.
TEST(Moves, TheNextAddressOfTheTokenIsTried) {
  Journey journey;
  journey.token.servers = {kServerAddress, address_of(99), address_of(98)};
  journey.connect();
  journey.run(net::kSecond);
  ASSERT_TRUE(journey.connected());
  journey.laptop.move_to(0);  // no network at all
  journey.run(2 * net::kSecond + net::kSecond / 2);
  EXPECT_GE(journey.laptop.routes(), 3u);
  journey.laptop.move_to(60);
  journey.run(2 * net::kSecond);
  EXPECT_EQ(journey.server->counters().moves, 1u);
  EXPECT_TRUE(journey.connected());
}

TEST(Moves, AServerWithoutTheConnectionSaysSo) {
  Journey journey;
  journey.connect();
  journey.run(2 * net::kSecond);
  ASSERT_TRUE(journey.connected());
  // It starts again with the same key, and knows nobody.
  net::ServerConfig again = config();
  again.access.key_is_fresh = false;
  journey.server.emplace(journey.port, again, journey.network.now);
  journey.run(2 * net::kSecond);
  EXPECT_EQ(journey.client->end_reason(), EndReason::forgotten);
}

}  // namespace
}  // namespace orrery
