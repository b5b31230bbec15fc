// Tests the checks of received states.
#include "client/cli/bots/state_check.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

client::Snapshot state_of(std::uint64_t tick, BodyId body) {
  client::Snapshot state;
  state.tick = Tick{tick};
  state.bodies.resize(1);
  state.bodies[0].id = body;
  state.bodies[0].tick = Tick{tick};
  return state;
}

TEST(StateCheck, ABodyThatCameBackIsFound) {
  client::StateCheck check;
  EXPECT_FALSE(check.add(state_of(1, make_body_id(3, 0)), 0));
  EXPECT_FALSE(check.add(state_of(2, make_body_id(3, 1)), 0));
  EXPECT_TRUE(check.add(state_of(3, make_body_id(3, 0)), 0));
  EXPECT_EQ(check.newest(), Tick{3});
  check.begin_epoch();
  EXPECT_EQ(check.newest(), Tick{});
  EXPECT_FALSE(check.add(state_of(1, make_body_id(3, 0)), 0));
}

TEST(StateCheck, GenerationsMayWrap) {
  client::StateCheck check;
  EXPECT_FALSE(check.add(state_of(1, make_body_id(3, limits::kGenerationsMax - 1)), 0));
  EXPECT_FALSE(check.add(state_of(2, make_body_id(3, 0)), 0));
}

codec::message::Welcome welcome_of(std::uint32_t scene_bodies) {
  codec::message::Welcome welcome;
  welcome.tick_rate = 60;
  welcome.scene_bodies = scene_bodies;
  return welcome;
}

TEST(StateCheck, SilenceIsAFaultUnlessTheConnectionIsLost) {
  client::StateCheck check;
  check.begin_connection(welcome_of(10), net::kSecond);
  EXPECT_FALSE(check.add(state_of(1, BodyId{0}), 3 * net::kSecond));
  EXPECT_FALSE(check.silence(5 * net::kSecond));
  EXPECT_TRUE(check.silence(6 * net::kSecond));
  EXPECT_TRUE(check.add(state_of(2, BodyId{0}), 6 * net::kSecond));
  check.begin_connection(welcome_of(10), 10 * net::kSecond);
  EXPECT_FALSE(check.add(state_of(3, BodyId{0}), 11 * net::kSecond));
}

// In a world of 30,000 bodies the server selects bodies for two clients in each tick. The last of
// 1,024 clients therefore waits 512 ticks. If the server is slow, these take 34 seconds.
TEST(StateCheck, ClientsOfLargeWorldsTakeTurns) {
  client::StateCheck check;
  check.begin_connection(welcome_of(30'000), 0);
  EXPECT_FALSE(check.silence(36 * net::kSecond));
  EXPECT_TRUE(check.silence(37 * net::kSecond));
  client::StateCheck grown;  // the scene has fewer bodies than the world
  grown.begin_connection(welcome_of(10), 0);
  EXPECT_TRUE(grown.silence(3 * net::kSecond));
  EXPECT_FALSE(grown.add(state_of(1, make_body_id(29'999, 0)), 0));
  EXPECT_FALSE(grown.silence(36 * net::kSecond));
  EXPECT_TRUE(grown.silence(37 * net::kSecond));
}

}  // namespace
}  // namespace orrery
