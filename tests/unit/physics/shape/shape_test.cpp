// Tests the bounds of shapes, and refused shapes.
#include "common/physics/shape/shape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "common/core/rng.h"
#include "common/math/mat3.h"
#include "tests/unit/physics/shape/part_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x5AFE;

// The bounds of a part contain random points of the part. Each of the two corners of the bounds is
// within 0.15 m of the same corner of the smallest box around these points.
TEST(Shape, IsWithinItsBounds) {
  SplitMix64 random(kSeed);
  const Pose body{{5, -2, 1}, normalized(Quat{-0.2, 0.4, 0.6, 0.3})};
  for (const physics::PartDef& part :
       {sphere(0.8), capsule(0.4, 0.7), box({0.5, 0.3, 0.1}), hull(wedge())}) {
    physics::ShapeSet set;
    set.add({{part}}).value();
    const physics::Aabb box = physics::bounds(set, set.parts(0)[0], body * set.shape(0).mass.frame);
    const Vec3 centre = (body * set.shape(0).mass.frame).position;
    physics::Aabb seen{centre, centre};
    for (int i = 0; i < 200'000; ++i) {
      const double x = 1.2 * random.symmetric();
      const double y = 1.2 * random.symmetric();
      const Vec3 p{x, y, 1.2 * random.symmetric()};
      if (!inside(part, p)) continue;
      const Vec3 world = transform(body, p);
      seen = physics::united(seen, {world, world});
    }
    EXPECT_EQ(physics::united(seen, box), box);
    EXPECT_LT(length(box.upper - seen.upper), 0.15);
    EXPECT_LT(length(box.lower - seen.lower), 0.15);
  }
}

TEST(Shape, RefusesExtentsThatAreZeroOrBeyondTheLimits) {
  physics::ShapeSet set;
  for (const double wrong : {0.0, -0.0, -1.0, 5e-324, 1e-300, 9e-7, 2e9, 1e12, 1e300}) {
    EXPECT_FALSE(set.add({{sphere(wrong)}})) << wrong;
    EXPECT_FALSE(set.add({{capsule(wrong, 1)}})) << wrong;
    EXPECT_FALSE(set.add({{capsule(1, wrong)}})) << wrong;
    EXPECT_FALSE(set.add({{box({wrong, 1, 1})}})) << wrong;
    EXPECT_FALSE(set.add({{box({1, wrong, 1})}})) << wrong;
    EXPECT_FALSE(set.add({{box({1, 1, wrong})}})) << wrong;
  }
  for (const double right : {1e-6, 1e9}) {
    EXPECT_TRUE(set.add({{sphere(right)}})) << right;
    EXPECT_TRUE(set.add({{capsule(right, right)}})) << right;
    EXPECT_TRUE(set.add({{box({right, 1, right})}})) << right;
  }
}

TEST(Shape, RefusesWhatIsNoShape) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  physics::ShapeSet set;
  EXPECT_FALSE(set.add({}).ok());
  EXPECT_FALSE(set.add({{sphere(0)}}).ok());
  EXPECT_FALSE(set.add({{sphere(nan)}}).ok());
  EXPECT_FALSE(set.add({{capsule(1, -1)}}).ok());
  EXPECT_FALSE(set.add({{box({1, 0, 1})}}).ok());
  EXPECT_FALSE(set.add({{box({1, 1, 1}, {{nan, 0, 0}, {}})}}).ok());
  EXPECT_FALSE(set.add({{box({1, 1, 1}, {{}, {0, 0, 0, 0}})}}).ok());
  EXPECT_EQ(set.add({{hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})}}).error().text(),
            "part 0: a hull must have 4 to 4096 points");
  physics::PartDef rough = sphere(1);
  rough.material.friction = -1;
  EXPECT_EQ(set.add({{sphere(1), rough}}).error().text(),
            "part 1: friction must be from 0 to 1000");
  EXPECT_EQ(set.size(), 0u);
}

}  // namespace
}  // namespace orrery
