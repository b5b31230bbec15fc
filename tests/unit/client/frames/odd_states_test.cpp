// Tests frames from states that arrive late, or have ticks that no server reaches.
#include <gtest/gtest.h>

#include <cmath>

#include "client/lib/frames/body_interpolator.h"

namespace orrery {
namespace {

constexpr double kTickTime = 1.0 / 60;

// An older state that arrives late does not move a body that is already beyond the newest one.
TEST(OddStates, ALateStateMovesNothing) {
  for (const client::Motion motion : {client::Motion::verlet, client::Motion::published_verlet}) {
    client::BodyInterpolator frame(kTickTime, 60, motion);
    const auto add = [&](std::uint64_t tick, double x, double v) {
      client::Snapshot snapshot;
      snapshot.tick = Tick{tick};
      codec::BodyState& body = snapshot.bodies.emplace_back();
      body.tick = snapshot.tick;
      body.position.x = x;
      body.velocity.x = static_cast<float>(v);
      frame.add(snapshot);
    };
    add(0, 0, 0);
    add(4, 1, 30);
    add(20, 10, 30);
    double before = 0;
    for (double at = 20; at <= 30; at += 0.5) before = frame.advance(at)[0].position.x;
    add(10, 4, 20);
    add(20, 10, 30);
    EXPECT_NEAR(frame.advance(30.001)[0].position.x, before, 0.01);
  }
}

// A lying server may send ticks so large that two of them are the same double.
TEST(OddStates, TicksWithoutEndGiveFinitePoses) {
  client::BodyInterpolator frame(kTickTime, 60);
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 53;
  for (const std::uint64_t tick : {kLarge - 1, kLarge, kLarge + 1, ~std::uint64_t{0}}) {
    client::Snapshot snapshot;
    snapshot.tick = Tick{tick};
    codec::BodyState& body = snapshot.bodies.emplace_back();
    body.tick = snapshot.tick;
    frame.add(snapshot);
    for (const double at : {0.0, 0x1p53, 0x1p53 + 2, 0x1p64}) {
      for (const client::BodyPose& pose : frame.advance(at)) {
        EXPECT_TRUE(std::isfinite(pose.position.x));
        EXPECT_TRUE(std::isfinite(pose.orientation.w));
      }
    }
  }
}

// A lying server may send any spin. The angle of a turn is then beyond what sine and cosine take.
TEST(OddStates, AnySpinGivesFinitePoses) {
  client::BodyInterpolator frame(kTickTime, 60);
  for (const std::uint64_t tick : {std::uint64_t{100}, std::uint64_t{400}}) {
    client::Snapshot snapshot;
    snapshot.tick = Tick{tick};
    codec::BodyState& body = snapshot.bodies.emplace_back();
    body.tick = snapshot.tick;
    body.angular_velocity = {1e6, 0, 0};
    frame.add(snapshot);
  }
  for (const double at : {100.0, 200.0, 399.0, 500.0}) {
    for (const client::BodyPose& pose : frame.advance(at)) {
      EXPECT_TRUE(std::isfinite(pose.orientation.w));
    }
  }
}

}  // namespace
}  // namespace orrery
