// Tests the contacts of a hull in the form of a box against the contacts of the box.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0xC0117DE;
constexpr double kMargin = 0.02;

const physics::Part kBall = part_of(physics::ShapeKind::sphere, 0.5);
const physics::Part kBox = part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2});
const physics::Part kCapsule = part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4);
const physics::Part kPlane = part_of(physics::ShapeKind::plane, 0);

std::uint32_t add_hull(physics::ShapeSet& shapes, const std::vector<Vec3>& points) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  part.points = points;
  return shapes.add({{part}}).value();
}

// Returns two shapes. Shape 0 is the hull of the corners of kBox; shape 1 is a rock with 20
// corners.
physics::ShapeSet make_hulls() {
  physics::ShapeSet shapes;
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 0.3 : -0.3, i & 4 ? 0.2 : -0.2});
  }
  add_hull(shapes, corners);
  SplitMix64 random(kSeed);
  std::vector<Vec3> rock;
  for (int i = 0; i < 20; ++i) rock.push_back(0.45 * random_direction(random));
  add_hull(shapes, rock);
  return shapes;
}

const physics::ShapeSet kShapes = make_hulls();
const physics::Part kHullBox = kShapes.parts(0)[0];

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

double deepest(const physics::Manifold& manifold) {
  double least = manifold.points[0].separation;
  for (std::uint32_t i = 1; i < manifold.count; ++i) {
    least = std::min(least, manifold.points[i].separation);
  }
  return least;
}

// Checks the properties that every manifold has.
void expect_sound(const physics::Manifold& m, double margin) {
  ASSERT_GE(m.count, 1u);
  ASSERT_LE(m.count, 4u);
  EXPECT_NEAR(length(m.normal), 1, 1e-9);
  std::set<std::uint32_t> features;
  for (std::uint32_t i = 0; i < m.count; ++i) {
    EXPECT_TRUE(finite(m.points[i].at));
    EXPECT_LE(m.points[i].separation, margin);
    features.insert(m.points[i].feature);
  }
  EXPECT_EQ(features.size(), m.count);
}

// The box and the hull of its corners have the same contacts, although different code computes
// them.
TEST(Contact, OfAHullIsThatOfTheBoxItIs) {
  SplitMix64 random(kSeed);
  int touching = 0;
  int same = 0;
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pair " << i);
    const physics::Part parts[] = {kBall, kCapsule, kBox, kPlane};
    const physics::Part& other = parts[random.below(4)];
    const Quat turn = random.below(3) ? random_turn(random) : Quat{};
    const Pose pose{random_vector(random, 0.8), turn};
    physics::Manifold m, n;
    const bool touch = physics::collide(kShapes, kBox, {}, other, pose, kMargin, m);
    const bool hull_touches = physics::collide(kShapes, kHullBox, {}, other, pose, kMargin, n);
    if (!touch || !hull_touches) {
      ASSERT_EQ(physics::overlap(kShapes, kBox, {}, other, pose), 0);
      continue;
    }
    ++touching;
    expect_sound(n, kMargin);
    // If two faces are equally good, the box and the hull may choose different ones. Their depths
    // then differ by up to 0.3 margins.
    ASSERT_NEAR(deepest(m), deepest(n), 0.3 * kMargin);
    if (dot(m.normal, n.normal) > 1 - 1e-9) {
      ++same;
      ASSERT_NEAR(deepest(m), deepest(n), 1e-9);
    }
  }
  EXPECT_GT(touching, 5000);
  EXPECT_GT(same, 0.97 * touching);
}

}  // namespace
}  // namespace orrery
