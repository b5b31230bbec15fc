// Tests which planes separate two parts.
#include "common/physics/narrow/seam.h"

#include <gtest/gtest.h>

#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

// A box of half size 0.5 on a plane, and another box beside it whose top is at `top`.
bool separated(double top, double sink, const Vec3& up) {
  physics::ShapeSet shapes;
  physics::PartDef box = test::part_definition(physics::ShapeKind::box);
  box.half_extents = {0.5, 0.5, 0.5};
  const std::uint32_t shape = shapes.add({{box}}).value();
  const physics::Part& part = shapes.parts(shape)[0];
  const Pose above{{5, 0.5 - sink, 0}, {}}, below{{6.01, top - 0.5, 0}, {}};
  // the plane y = 0, relative to the body above it
  const physics::SupportPlane plane{up, dot(Vec3{0, -above.position.y, 0}, up)};
  return physics::separates(shapes, plane, {part, above}, {part, below}, 0.005, 0.02);
}

TEST(Seam, APlaneSeparatesOnlyWhatIsAboveFromWhatIsBelow) {
  const Vec3 up{0, 1, 0};
  EXPECT_TRUE(separated(0, 0, up));
  EXPECT_TRUE(separated(-1, 0, up));
  EXPECT_TRUE(separated(0.004, 0.004, up));
  EXPECT_FALSE(separated(0.006, 0, up));  // a step
  EXPECT_FALSE(separated(0, 0.006, up));  // the body is below the plane
  EXPECT_FALSE(separated(0, 0, {0.6, 0.8, 0}));
}

// The plane is at the surface of the supporter, whichever part comes first.
TEST(Seam, ThePlaneIsAtTheSurfaceOfTheSupporter) {
  physics::Manifold manifold;
  manifold.normal = {0, -1, 0};
  manifold.count = 2;
  manifold.points[0] = {{0, -0.499, 0}, -0.002, 0};
  manifold.points[1] = {{1, -0.5, 0}, 0, 1};
  const physics::SupportPlane first = physics::support_plane(manifold, true, {});
  EXPECT_EQ(first.up, (Vec3{0, 1, 0}));
  EXPECT_NEAR(first.height, -0.498, 1e-15);
  manifold.normal = {0, 1, 0};
  const physics::SupportPlane second = physics::support_plane(manifold, false, {0, 2, 0});
  EXPECT_EQ(second.up, (Vec3{0, 1, 0}));
  EXPECT_NEAR(second.height, 1.502, 1e-15);
}

}  // namespace
}  // namespace orrery
