// Tests the planes between parts that pass each other.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/physics/narrow/core_shape.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using namespace physics;

PartDef any_part(SplitMix64& random) {
  PartDef part = test::part_definition(static_cast<ShapeKind>(random.below(4)));
  part.radius = 0.2 + 0.1 * random.symmetric();
  part.half_length = 0.3;
  for (int i = 0; i < 8; ++i) {
    part.points.push_back({i & 1 ? 0.4 : -0.4, i & 2 ? 0.2 : -0.2, i & 4 ? 0.3 : -0.3});
  }
  return part;
}

// Returns the distance of two parts along a direction.
double gap_along(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
                 const Pose& pose_b, const Vec3& normal) {
  const CoreShape core_a(shapes, placed(a, pose_a, {}));
  const CoreShape core_b(shapes, placed(b, pose_b, {}));
  double highest = -1e9, lowest = 1e9;
  for (const Vec3& v : core_a.vertices()) highest = std::max(highest, dot(v, normal));
  for (const Vec3& v : core_b.vertices()) lowest = std::min(lowest, dot(v, normal));
  return lowest - core_b.radius() - highest - core_a.radius();
}

// The plane separates the parts during the whole motion, also while they turn. The point is half
// way between the two at the start.
TEST(Passing, ThePlaneSeparatesAllTheWay) {
  std::uint32_t found = 0, turning = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    SplitMix64 random(static_cast<std::uint64_t>(seed));
    ShapeSet shapes;
    const Part a = shapes.parts(shapes.add({{any_part(random)}}).value())[0];
    const Part b = shapes.parts(shapes.add({{any_part(random)}}).value())[0];
    const double most = seed % 3 == 0 ? 0 : 0.2;
    const auto motion = [&](const Vec3& at) {
      const Quat q = test::draw_orientation(random);
      const Vec3 turn = test::draw(random, most);
      return Motion{{at, q},
                    {at + test::draw(random, 1), normalized(Quat{turn.x, turn.y, turn.z, 1} * q)}};
    };
    const Motion motion_a = motion({}), motion_b = motion(test::draw(random, 1.5));
    const std::optional<Manifold> plane = passing_plane(shapes, a, motion_a, b, motion_b);
    if (!plane) continue;
    ++found;
    turning += most > 0;
    ASSERT_EQ(plane->count, 1u);
    const Vec3& n = plane->normal;
    EXPECT_NEAR(length(n), 1, 1e-12);
    const double start = gap_along(shapes, a, motion_a.from, b, motion_b.from, n);
    EXPECT_NEAR(plane->points[0].separation, start, 1e-9) << seed;
    for (int i = 0; i <= 20; ++i) {
      const double gap =
          gap_along(shapes, a, pose_at(motion_a, 0.05 * i), b, pose_at(motion_b, 0.05 * i), n);
      ASSERT_GT(gap, -1e-12) << "seed " << seed << " at " << i;
    }
    const double at = dot(plane->points[0].at, n);
    const CoreShape core(shapes, placed(a, motion_a.from, {}));
    const double on_a = dot(core.vertices()[core.support(n)], n) + core.radius();
    EXPECT_NEAR(at, on_a + 0.5 * start, 1e-9) << seed;
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(turning, 200u);
}

// The point belongs to the smaller part, wherever the larger one reaches to and whatever turns.
TEST(Passing, ThePointIsNearTheSmallerPart) {
  for (const bool swapped : {false, true}) {
    for (const double spin : {-0.01, 0.0, 0.01}) {
      ShapeSet shapes;
      PartDef wall = test::part_definition(ShapeKind::box), crate = wall;
      wall.half_extents = {1, 50, 50};
      crate.half_extents = {0.1, 0.1, 0.1};
      const Part large = shapes.parts(shapes.add({{wall}}).value())[0];
      const Part small = shapes.parts(shapes.add({{crate}}).value())[0];
      const Motion still{{{-1.12, 0, 0}, {}}, {{-1.12, 0, 0}, {}}};
      const Motion falls{{{0, 50.2, 0}, {}}, {{0, 49.9, 0}, normalized({0, 0, spin, 1})}};
      const std::optional<Manifold> plane = swapped
                                                ? passing_plane(shapes, small, falls, large, still)
                                                : passing_plane(shapes, large, still, small, falls);
      ASSERT_TRUE(plane) << swapped << spin;
      const Vec3 origin = swapped ? falls.from.position : still.from.position;
      EXPECT_LT(length(plane->points[0].at + origin - falls.from.position), 0.2);
      EXPECT_EQ(plane->face_of_b, swapped);
    }
  }
}

// Parts that meet have no such plane.
TEST(Passing, PartsThatMeetHaveNoPlane) {
  ShapeSet shapes;
  const Part box = shapes.parts(shapes.add({{test::part_definition(ShapeKind::box)}}).value())[0];
  const Motion still{{{0, 0, 0}, {}}, {{0, 0, 0}, {}}};
  const Motion closer{{{1.2, 0, 0}, {}}, {{0.9, 0, 0}, {}}};
  EXPECT_FALSE(passing_plane(shapes, box, still, box, closer));
  const Motion half_turn{{{1.2, 0, 0}, {}}, {{1.2, 2, 0}, {0, 0, 1, 0}}};
  EXPECT_FALSE(passing_plane(shapes, box, still, box, half_turn));
}

}  // namespace
}  // namespace orrery
