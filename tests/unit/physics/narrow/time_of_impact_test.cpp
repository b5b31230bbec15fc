// Tests times of impact against exact solutions and many small steps.
#include <gtest/gtest.h>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0xCA57;
constexpr double kTarget = 1e-3;

physics::ShapeSet make_rock() {
  SplitMix64 random(kSeed);
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  for (int i = 0; i < 16; ++i) part.points.push_back(0.45 * random_direction(random));
  physics::ShapeSet shapes;
  (void)shapes.add({{part}}).value();
  return shapes;
}

const physics::ShapeSet kShapes = make_rock();
const physics::Part kBall = part_of(physics::ShapeKind::sphere, 0.3);
const physics::Part kPlane = part_of(physics::ShapeKind::plane, 0);

std::vector<physics::Part> solids() {
  return {kBall, part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4),
          part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.05}), kShapes.parts(0)[0]};
}

TEST(Meeting, OfAFastBallWithAThinWallIsNotMissed) {
  const physics::Part wall = part_of(physics::ShapeKind::box, 0, {0.05, 5, 5});
  const double way = 500.0 / 60;
  for (double start = -way - 0.35; start < -0.351; start += 0.01) {
    const physics::Motion ball{{{start, 0.2, 0.1}, {}}, {{start + way, 0.2, 0.1}, {}}};
    const auto impact = physics::time_of_impact({}, kBall, ball, wall, {}, kTarget);
    ASSERT_TRUE(impact) << start;
    EXPECT_NEAR(start + impact->fraction * way, -0.35, 1.25 * kTarget);
    EXPECT_LT(start + impact->fraction * way, -0.35 - 0.9 * kTarget);
    EXPECT_NEAR(impact->normal.x, 1, 1e-12);
  }
}

TEST(Meeting, IsFromTheStartIfTheyOverlap) {
  const physics::Motion still{{{0.5, 0, 0}, {}}, {{0.5, 0, 0}, {}}};
  const auto impact = physics::time_of_impact({}, kBall, {}, kBall, still, kTarget);
  ASSERT_TRUE(impact);
  EXPECT_EQ(impact->fraction, 0);
  EXPECT_EQ(impact->normal, Vec3{});
}

// Returns the distance of two parts at a fraction of their motions, from the distance of their
// cores.
double distance_at(const physics::Part& a, const physics::Motion& way_a, const physics::Part& b,
                   const physics::Motion& way_b, double fraction) {
  const physics::CoreShape core_a(kShapes,
                                  physics::placed(a, physics::pose_at(way_a, fraction), {}));
  const physics::PlacedPart placed_b = physics::placed(b, physics::pose_at(way_b, fraction), {});
  if (b.kind == physics::ShapeKind::plane) {
    double least = 1e300;
    for (const Vec3& v : core_a.vertices()) {
      least = std::min(least, dot(v - placed_b.centre, placed_b.axes.y));
    }
    return least - core_a.radius();
  }
  const physics::CoreShape core_b(kShapes, placed_b);
  return physics::nearest_points(core_a, core_b).distance - core_a.radius() - core_b.radius();
}

TEST(Meeting, IsTheFirstOfManySmallSteps) {
  SplitMix64 random(kSeed);
  const std::vector<physics::Part> parts = solids();
  int met = 0, missed = 0;
  for (int i = 0; i < 6000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pair " << i);
    const physics::Part& a = parts[random.below(4)];
    const physics::Part& b = random.below(5) ? parts[random.below(4)] : kPlane;
    const auto motion = [&](double size) {
      const Pose from{random_vector(random, 2), random_turn(random)};
      const Vec3 by = random_vector(random, size);
      const Vec3 turn = random_vector(random, 0.5);
      const Quat to = normalized(Quat{turn.x, turn.y, turn.z, 1}) * from.orientation;
      return physics::Motion{from, {from.position + by, to}};
    };
    const physics::Motion way_a = motion(4);
    physics::Motion way_b = motion(1);
    if (b.kind == physics::ShapeKind::plane) way_b.to = way_b.from;
    const auto impact = physics::time_of_impact(kShapes, a, way_a, b, way_b, kTarget);
    const double end = impact ? impact->fraction : 1;
    for (int k = 0; end > 0 && k < 100; ++k) {
      const double f = (k + 0.5) / 100 * end;
      ASSERT_GT(distance_at(a, way_a, b, way_b, f), 0.99 * kTarget) << f;
    }
    if (!impact) {
      ++missed;
    } else if (impact->fraction > 0) {
      ++met;
      const double distance = distance_at(a, way_a, b, way_b, end);
      EXPECT_NEAR(distance, 1.125 * kTarget, 0.126 * kTarget);
      const auto mirrored = physics::time_of_impact(kShapes, b, way_b, a, way_a, kTarget);
      ASSERT_TRUE(mirrored);
      EXPECT_NEAR(mirrored->fraction, impact->fraction, 1e-3);
      EXPECT_LT(length(mirrored->normal + impact->normal), 0.1);
    }
  }
  EXPECT_GT(met, 200);
  EXPECT_GT(missed, 200);
}

TEST(Meeting, IsWithinTheBoundsOfTheWay) {
  SplitMix64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", way " << i);
    const std::vector<physics::Part> parts = solids();
    physics::Part part = parts[random.below(4)];
    part.position = random_vector(random, i % 3);
    part.reach = 0.7 + length(part.position);
    const physics::Motion motion{{random_vector(random, 5), random_turn(random)},
                                 {random_vector(random, 5), random_turn(random)}};
    const physics::Aabb all =
        physics::enlarged(physics::swept_bounds(kShapes, part, motion), 1e-12);
    for (int k = 0; k <= 16; ++k) {
      EXPECT_EQ(
          physics::united(all, physics::bounds(kShapes, part, physics::pose_at(motion, k / 16.0))),
          all)
          << k;
    }
  }
}

}  // namespace
}  // namespace orrery
