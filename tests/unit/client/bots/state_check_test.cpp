// Tests the checks of received states.
#include "client/lib/bots/state_check.h"

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

TEST(StateCheck, SilenceIsAFaultUnlessTheConnectionIsLost) {
  client::StateCheck check;
  check.begin_connection(60, net::kSecond);
  EXPECT_FALSE(check.add(state_of(1, BodyId{0}), 3 * net::kSecond));
  EXPECT_FALSE(check.silence(5 * net::kSecond));
  EXPECT_TRUE(check.silence(6 * net::kSecond));
  EXPECT_TRUE(check.add(state_of(2, BodyId{0}), 6 * net::kSecond));
  check.begin_connection(60, 10 * net::kSecond);
  EXPECT_FALSE(check.add(state_of(3, BodyId{0}), 11 * net::kSecond));
}

}  // namespace
}  // namespace orrery
