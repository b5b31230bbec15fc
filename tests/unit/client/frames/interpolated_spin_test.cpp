// Tests the orientations of a client's frames, compared with exact rotations.
#include <gtest/gtest.h>

#include <cmath>

#include "client/lib/frames/body_interpolator.h"
#include "common/core/rng.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

constexpr double kTickTime = 1.0 / 60;

client::Snapshot snapshot_of(std::uint64_t tick, const Quat& orientation,
                             const Vec3& angular_velocity) {
  client::Snapshot snapshot;
  snapshot.tick = Tick{tick};
  codec::BodyState& body = snapshot.bodies.emplace_back();
  body.tick = snapshot.tick;
  body.orientation = orientation;
  body.angular_velocity = angular_velocity;
  return snapshot;
}

double angle_between(const Quat& a, const Quat& b) {
  const Quat q = conjugate(a) * b;
  const double s = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  return 2 * std::atan2(s, std::abs(q.w));
}

// A steady spin is shown exactly, between snapshots and beyond the newest.
TEST(InterpolatedSpin, SteadySpinIsExact) {
  const double speed = 40;
  const auto turned = [speed](double tick) {
    const double half = speed * tick * kTickTime / 2;
    return Quat{0, std::sin(half), 0, std::cos(half)};
  };
  client::BodyInterpolator frame(kTickTime, 60);
  for (std::uint64_t tick = 0; tick <= 12; tick += 3) {
    frame.add(snapshot_of(tick, turned(static_cast<double>(tick)), {0, speed, 0}));
  }
  SplitMix64 draw(5);
  for (double at = 0; at < 20; at += 0.3 + 0.25 * draw.symmetric()) {
    ASSERT_LT(angle_between(frame.advance(at).front().orientation, turned(at)), 1e-12) << at;
  }
}

// A body that flips like a tennis racket, with half of the snapshots lost. Each received snapshot
// is shown exactly. Between frames, a quarter of a tick apart, the body turns by less than 6 rad
// per time unit.
TEST(InterpolatedSpin, TumblingIsSmoothAndMeetsEverySnapshot) {
  World world(built_in_scene("tumble").value());
  SerialExecutor serial;
  SplitMix64 draw(11);
  client::BodyInterpolator frame(world.tick_time(), 60);
  Quat before;
  double at = 0;
  for (std::uint64_t tick = 0; tick < 600; ++tick) {
    if (draw.below(2) == 0 || tick < 2) {
      const Quat orientation = world.bodies().orientation(0);
      frame.add(snapshot_of(world.tick().value, orientation, world.bodies().angular_velocity(0)));
      const Quat shown = frame.advance(static_cast<double>(tick)).front().orientation;
      EXPECT_LT(angle_between(shown, orientation), 1e-9);
    }
    for (; at < static_cast<double>(tick) - 8; at += 0.25) {
      const Quat now = frame.advance(at).front().orientation;
      if (at > 0) {
        ASSERT_LT(angle_between(before, now), 6 * 0.25 * kTickTime) << at;
      }
      before = now;
    }
    step(world, {}, serial);
  }
}

}  // namespace
}  // namespace orrery
