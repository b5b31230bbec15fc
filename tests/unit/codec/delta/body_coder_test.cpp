// Tests the predictions of motions. A motion that one of the predictions describes costs few bits.
// The same motion with noise costs more.
#include "common/codec/delta/body_coder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/codec/delta/motions.h"

namespace orrery::codec {
namespace {

Quat about_z(double angle) { return {0, 0, std::sin(angle / 2), std::cos(angle / 2)}; }

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
