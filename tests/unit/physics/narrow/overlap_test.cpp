// Tests overlaps of convex parts against a search over directions, and exact cases.
#include <gtest/gtest.h>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x0E71A9;

const physics::Part kParts[] = {part_of(physics::ShapeKind::sphere, 0.5),
                                part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4),
                                part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2})};

TEST(Overlap, IsTheLeastOverAllDirections) {
  SplitMix64 random(kSeed);
  int overlapping = 0;
  double error = 0;  // error of the random search, summed over all pairs
  for (int i = 0; i < 3'000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pair " << i);
    const physics::Part& a = kParts[random.below(3)];
    const physics::Part& b = kParts[random.below(3)];
    const Pose pose_a{{}, random_turn(random)};
    const Pose pose_b{random_vector(random, 0.5), random_turn(random)};
    const double depth = physics::overlap({}, a, pose_a, b, pose_b);
    if (depth == 0) continue;
    ++overlapping;
    const physics::CoreShape core_a({}, physics::placed(a, pose_a, {}));
    const physics::CoreShape core_b({}, physics::placed(b, pose_b, {}));
    const auto along = [&](const Vec3& d) {
      return dot(core_a.vertices()[core_a.support(d)] - core_b.vertices()[core_b.support(-d)], d) +
             core_a.radius() + core_b.radius();
    };
    // Tries many random directions, then ever smaller changes to the best one, from several starts.
    double least = 1e300;
    for (int start = 0; start < 6; ++start) {
      Vec3 best = random_direction(random);
      for (int k = 0; k < 200; ++k) {
        const Vec3 d = random_direction(random);
        if (along(d) < along(best)) best = d;
      }
      for (double size = 0.1; size > 1e-6; size *= 0.96) {
        const Vec3 d = best + random_vector(random, size);
        const Vec3 unit = (1 / length(d)) * d;
        if (along(unit) < along(best)) best = unit;
      }
      least = std::min(least, along(best));
    }
    ASSERT_GE(least, depth - 1e-12);
    ASSERT_LE(least, depth + 0.04);
    error += least - depth;
  }
  EXPECT_GT(overlapping, 1'000);
  EXPECT_LT(error / overlapping, 2e-3);
}

TEST(Overlap, IsExactWhereItIsKnown) {
  const physics::Part& ball = kParts[0];
  const physics::Part& box = kParts[2];
  const physics::Part plane = part_of(physics::ShapeKind::plane, 0);
  EXPECT_NEAR(physics::overlap({}, ball, {}, ball, {{0.6, 0, 0}, {}}), 0.4, 1e-15);
  EXPECT_EQ(physics::overlap({}, ball, {}, ball, {{1.6, 0, 0}, {}}), 0);
  EXPECT_NEAR(physics::overlap({}, box, {}, box, {{0, 0.59, 0.1}, {}}), 0.01, 1e-15);
  EXPECT_NEAR(physics::overlap({}, box, {{0, 0.25, 0}, {}}, plane, {}), 0.05, 1e-15);
  EXPECT_NEAR(physics::overlap({}, plane, {}, ball, {{0, 0.4, 0}, {}}), 0.1, 1e-15);
  EXPECT_NEAR(physics::overlap({}, ball, {}, box, {}), 0.7, 1e-15);
}

}  // namespace
}  // namespace orrery
