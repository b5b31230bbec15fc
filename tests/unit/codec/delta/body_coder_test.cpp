// Tests the predictions of motions. A motion that one of the predictions describes costs few bits.
// The same motion with noise costs more.
#include "common/codec/delta/body_coder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/unit/codec/delta/sessions.h"

namespace orrery::codec {
namespace {

constexpr std::uint32_t kBodies = 30;

// Poses of a body at a tick: position in steps, and orientation.
using Motion =
    std::function<void(std::uint32_t body, double tick, Vec3& position, Quat& orientation)>;

// Returns the mean number of bits for a body in a frame, at a baseline distance of 6 and after the
// first frames.
double bits(const Motion& motion, double noise) {
  SplitMix64 random(3);
  DeltaScene scene = cubes(kBodies);
  scene.grid.position_step = 1;
  Pair pair(scene);
  int bytes = 0;
  for (std::uint64_t frame = 1; frame <= 40; ++frame) {
    QuantisedFrame out{Tick{6 * frame}, {}};
    for (std::uint32_t i = 0; i < kBodies; ++i) {
      Vec3 position;
      Quat orientation;
      motion(i, 6.0 * static_cast<double>(frame), position, orientation);
      position.x += noise * random.symmetric();
      position.z += noise * random.symmetric();
      QuantisedBody& body = out.bodies.emplace_back(body_at(i, 0, 0, 0));
      quantise(scene.grid, position, orientation, body);
    }
    const std::uint32_t reference[] = {0};
    const int size = pair.send(out, reference);
    EXPECT_GE(size, 0);
    if (frame > 10) bytes += size;
  }
  return bytes * 8.0 / (30 * kBodies);
}

Quat about_z(double angle) { return {0, 0, std::sin(angle / 2), std::cos(angle / 2)}; }

void expect_predicted(const Motion& motion, double most) {
  const double exact = bits(motion, 0);
  EXPECT_LT(exact, most);
  EXPECT_GT(bits(motion, 300), exact + 6);
}

TEST(BodyCoder, FlightIsPredicted) {
  expect_predicted(
      [](std::uint32_t i, double t, Vec3& position, Quat&) {
        position = {1000.0 * i + 3 * t, 300 * t - 0.5 * t * t, 2.0 * i * t};
      },
      9);
}

TEST(BodyCoder, SpinIsPredicted) {
  expect_predicted(
      [](std::uint32_t i, double t, Vec3& position, Quat& orientation) {
        position = {1000.0 * i + 3 * t, 0, 0};
        orientation = about_z(0.01 * t * (1 + 0.02 * i));
      },
      14);
}

// All bodies are joined to the first, and ride on it. The first moves in a way that nothing
// predicts.
TEST(BodyCoder, RidersOfAReferenceArePredicted) {
  expect_predicted(
      [](std::uint32_t i, double t, Vec3& position, Quat& orientation) {
        const double angle = 0.8 * std::sin(0.37 * t);
        const Quat turn = about_z(angle);
        position = Vec3{2000 * std::sin(0.91 * t), 1500 * std::sin(0.53 * t), 0} +
                   rotate(turn, {130.0 * i, 40.0 * (i % 3), 0});
        orientation = turn;
      },
      24);
}

TEST(BodyCoder, RollingIsPredictedFromThePosition) {
  const auto roll = [](double sign) {
    return [sign](std::uint32_t i, double t, Vec3& position, Quat& orientation) {
      const double x = 400 * std::sin(0.05 * t + i) + 200 * std::sin(0.17 * t + 2 * i);
      position = {x, 64, 1000.0 * i};
      orientation = about_z(-sign * x / 64);
    };
  };
  // Control: a ball that turns the wrong way costs more.
  EXPECT_LT(bits(roll(1), 0) + 3, bits(roll(-1), 0));
}

}  // namespace
}  // namespace orrery::codec
