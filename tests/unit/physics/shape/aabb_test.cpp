// Tests boxes against points inside them, and segments against sampled points.
#include "common/physics/shape/aabb.h"

#include <gtest/gtest.h>

#include "common/core/rng.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using physics::Aabb;

Aabb random_box(SplitMix64& random) {
  const Vec3 p = test::draw(random, 3), q = test::draw(random, 3);
  return {physics::lesser(p, q), physics::greater(p, q)};
}

bool holds(const Aabb& box, const Vec3& p) { return physics::overlaps(box, {p, p}); }

TEST(Aabb, OverlapsIfACommonPointExists) {
  SplitMix64 random(0xAABB);
  int overlapping = 0;
  for (int i = 0; i < 2000; ++i) {
    const Aabb a = random_box(random), b = random_box(random);
    // The common part, if there is one, has its lowest corner in both boxes.
    const Vec3 corner = physics::greater(a.lower, b.lower);
    const bool common = holds(a, corner) && holds(b, corner);
    EXPECT_EQ(physics::overlaps(a, b), common);
    EXPECT_EQ(physics::overlaps(b, a), common);
    overlapping += common;
    EXPECT_TRUE(holds(physics::united(a, b), a.lower) && holds(physics::united(a, b), b.upper));
  }
  EXPECT_GT(overlapping, 100);
  const Aabb left{{0, 0, 0}, {1, 1, 1}}, right{{1, 0, 0}, {2, 1, 1}};
  EXPECT_TRUE(physics::overlaps(left, right));  // they share a face
}

TEST(Aabb, MeetsASegmentIfAPointOfItIsInside) {
  SplitMix64 random(0x5E6);
  int hits = 0, misses = 0;
  for (int i = 0; i < 3000; ++i) {
    const Aabb box = random_box(random);
    const Vec3 origin = test::draw(random, 4), along = test::draw(random, 6);
    const double end = 0.1 + 0.9 * (i % 7) / 6.0;
    bool inside = false, near = false;
    for (int k = 0; k <= 400; ++k) {
      const Vec3 p = origin + (end * k / 400) * along;
      inside = inside || holds(box, p);
      near = near || holds(physics::enlarged(box, 0.05), p);
    }
    if (inside) {
      EXPECT_TRUE(physics::meets(box, origin, along, end)) << i;
    } else if (!near) {  // no sample is within 0.05, and samples are less than 0.03 apart
      EXPECT_FALSE(physics::meets(box, origin, along, end)) << i;
    }
    hits += inside;
    misses += !near;
  }
  EXPECT_GT(hits, 100);
  EXPECT_GT(misses, 100);
}

TEST(Aabb, MeetsSegmentsThatRunInAFace) {
  const Aabb box{{0, 0, 0}, {1, 1, 1}};
  EXPECT_TRUE(physics::meets(box, {-1, 0, 0.5}, {3, 0, 0}, 1));
  EXPECT_TRUE(physics::meets(box, {0.5, 1, 0.5}, {0, 0, 0}, 1));
  EXPECT_FALSE(physics::meets(box, {-1, -0.001, 0.5}, {3, 0, 0}, 1));
  EXPECT_FALSE(physics::meets(box, {-1, 0.5, 0.5}, {3, 0, 0}, 0.3));
}

}  // namespace
}  // namespace orrery
