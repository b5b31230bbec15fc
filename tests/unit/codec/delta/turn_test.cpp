// Tests turns against the formulas of rotations.
#include "common/codec/delta/turn.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::codec {
namespace {

Quat about(const Vec3& axis, double angle) {
  const Vec3 v = (std::sin(angle / 2) / length(axis)) * axis;
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

TEST(Turn, IsTheTangentOfHalfTheAngle) {
  const Vec3 axis{1, -2, 2};
  for (const double angle : {0.0, 0.01, 0.5, 2.0, 2.9}) {
    const Vec3 turn = turn_of(about(axis, angle));
    EXPECT_LT(length(turn - (std::tan(angle / 2) / 3) * axis), 1e-12) << angle;
    const Quat back = rotation_of(turn);
    EXPECT_NEAR(back.w, std::cos(angle / 2), 1e-12);
    EXPECT_NEAR(back.x, std::sin(angle / 2) / 3, 1e-12);
  }
}

TEST(Turn, OfTheNegativeQuaternionIsTheSame) {
  const Quat q = about({1, 2, 3}, 1);
  EXPECT_LT(length(turn_of(q) - turn_of({-q.x, -q.y, -q.z, -q.w})), 1e-15);
}

TEST(Turn, BetweenLeadsFromOneToTheOther) {
  const Quat a = about({0, 1, 1}, 2), b = about({1, 0, -1}, -1);
  const Quat reached = rotation_of(turn_between(a, b)) * a;
  const double same = reached.x * b.x + reached.y * b.y + reached.z * b.z + reached.w * b.w;
  EXPECT_NEAR(std::abs(same), 1, 1e-12);
}

TEST(Turn, HalfTurnsAreFinite) {
  EXPECT_LE(length(turn_of({1, 0, 0, 0})), kTurnMax);
  EXPECT_NEAR(length(bounded_turn({1e9, 1e9, 0})), kTurnMax, 1e-9);
  const Vec3 small{1, 2, 3};
  EXPECT_EQ(bounded_turn(small), small);
}

}  // namespace
}  // namespace orrery::codec
