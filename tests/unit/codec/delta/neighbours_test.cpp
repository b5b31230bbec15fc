// Tests the mean of neighbours: rigid motions are continued exactly, and far bodies do not count.
#include "common/codec/delta/neighbours.h"

#include <gtest/gtest.h>

#include "common/codec/delta/turn.h"

namespace orrery::codec {
namespace {

// The motion of a body that is at `at`, when everything turns about the origin.
CodedMotion turned(const Vec3& at, const Quat& before, const Quat& now) {
  return {.from = at,
          .to = rotate(now, at),
          .rotation = rotation(now),
          .turn = turn_of(now),
          .before = rotate_back(before, at),
          .rotation_before = rotation(before),
          .change = {},
          .miss = 4};
}

const Quat kBefore = normalized({0.1, 0.2, -0.05, 1});
const Quat kNow = normalized({-0.05, 0.3, 0.1, 1});

TEST(Neighbours, RigidMotionIsExact) {
  Neighbours neighbours;
  neighbours.clear(100);
  for (const Vec3& at : {Vec3{10, 0, 0}, Vec3{0, 20, 5}, Vec3{-7, 3, 9}}) {
    neighbours.add(turned(at, kBefore, kNow));
  }
  const Vec3 at{4, -6, 8};
  const NeighbourMean mean = neighbours.mean(rotate_back(kBefore, at), at, kFittedWeights);
  ASSERT_GT(mean.weight, 0);
  EXPECT_LT(length(mean.displacement - (rotate(kNow, at) - at)), 1e-12);
  EXPECT_LT(length(mean.turn - turn_of(kNow)), 1e-12);
  EXPECT_NEAR(mean.miss, 4, 1e-12);
}

TEST(Neighbours, FarBodiesDoNotCount) {
  Neighbours neighbours;
  neighbours.clear(100);
  EXPECT_EQ(neighbours.mean({}, {}, kFittedWeights).weight, 0);
  neighbours.add(turned({100, 0, 0}, kBefore, kNow));
  EXPECT_EQ(neighbours.mean({}, {}, kFittedWeights).weight, 0);
  neighbours.add(turned({10, 0, 0}, kBefore, kNow));
  EXPECT_GT(neighbours.mean({}, {}, kFittedWeights).weight, 0);
  neighbours.clear(5);
  neighbours.add(turned({10, 0, 0}, kBefore, kNow));
  EXPECT_EQ(neighbours.mean({}, {}, kFittedWeights).weight, 0);
}

TEST(Neighbours, ABodyThatSlippedAlongThemFollowsThemLess) {
  Neighbours neighbours;
  neighbours.clear(100);
  neighbours.add(turned({10, 0, 0}, kBefore, kNow));
  const Vec3 at{0, 10, 0};
  const double rigid = neighbours.mean(rotate_back(kBefore, at), at, kFittedWeights).weight;
  const double slipped = neighbours.mean({50, 0, 0}, at, kFittedWeights).weight;
  EXPECT_LT(slipped, rigid / 4);
}

}  // namespace
}  // namespace orrery::codec
