// Tests ray casts: compares hits with points that lie inside and outside of parts, and casts rays
// from far away.
#include <gtest/gtest.h>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0xCA57;

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

// Returns true if a point is inside a part: below a plane, or no farther than the radius from the
// core of another part.
bool inside(const physics::Part& part, const Pose& pose, const Vec3& p) {
  const physics::CoreShape point(
      {}, physics::placed(part_of(physics::ShapeKind::sphere, 0), {p, {}}, pose.position));
  const physics::PlacedPart there = physics::placed(part, pose, pose.position);
  if (part.kind == physics::ShapeKind::plane)
    return dot(p - pose.position - there.centre, there.axes.y) < 0;
  const physics::CoreShape core(kShapes, there);
  return physics::nearest_points(core, point).distance <= core.radius();
}

TEST(Ray, GoesInWhereItSaysAndNowhereBefore) {
  SplitMix64 random(kSeed);
  int hits = 0;
  for (int i = 0; i < 4000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", ray " << i);
    std::vector<physics::Part> parts = solids();
    parts.push_back(kPlane);
    const physics::Part& part = parts[random.below(5)];
    const Pose pose{random_vector(random, 10), random_turn(random)};
    const Vec3 origin = pose.position + random_vector(random, 1.5);
    const Vec3 along = random_vector(random, 3);
    const auto hit = physics::cast_ray(kShapes, part, pose, origin, along);
    const double end = hit ? hit->fraction : 1;
    for (int k = 0; end > 0 && k < 100; ++k) {
      const double f = (k + 0.5) / 100 * end;
      ASSERT_TRUE(!inside(part, pose, origin + f * along) || f > end - 1e-9) << f;
    }
    if (!hit) continue;
    ++hits;
    if (hit->normal == Vec3{}) {
      EXPECT_EQ(hit->fraction, 0);
      EXPECT_TRUE(inside(part, pose, origin));
      continue;
    }
    EXPECT_NEAR(length(hit->normal), 1, 1e-9);
    EXPECT_LT(dot(hit->normal, along), 0);
    const Vec3 at = origin + hit->fraction * along;
    EXPECT_FALSE(inside(part, pose, at + 1e-6 * hit->normal));
    EXPECT_TRUE(inside(part, pose, at - 1e-6 * hit->normal));
  }
  EXPECT_GT(hits, 500);
}

TEST(Ray, IsExactFromFarAway) {
  const Pose pose{{1e9, 1e9, 0}, {}};
  const auto hit = physics::cast_ray({}, kBall, pose, {1e9, 1e9 + 1e6, 0}, {0, -2e6, 0});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->fraction * 2e6, 1e6 - 0.3, 1e-6);
  EXPECT_EQ(hit->normal, (Vec3{0, 1, 0}));
  EXPECT_FALSE(physics::cast_ray({}, kBall, pose, {1e9 + 0.31, 1e9 + 1e6, 0}, {0, -2e6, 0}));
}

}  // namespace
}  // namespace orrery
