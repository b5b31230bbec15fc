// Tests contacts of balls, capsules, boxes, hulls and planes: depth, symmetry, rigid motion, and
// inputs at the limits.
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
const physics::Part kRock = kShapes.parts(1)[0];

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

// The depth of the deepest point of a contact differs from an overlap of up to 0.1 by at most 0.3
// margins. The code may choose a face although another face or a pair of edges is slightly better.
TEST(Contact, IsAsDeepAsTheOverlap) {
  SplitMix64 random(kSeed);
  const physics::Part parts[] = {kBall, kCapsule, kBox, kRock, kPlane};
  int overlapping = 0;
  for (int i = 0; i < 50'000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pair " << i);
    const physics::Part& a = parts[random.below(5)];
    const physics::Part& b = parts[random.below(4)];
    const Pose pose_a{{}, random_turn(random)};
    const Pose pose_b{random_vector(random, 1), random_turn(random)};
    const double depth = physics::overlap(kShapes, a, pose_a, b, pose_b);
    physics::Manifold m;
    const bool touch = physics::collide(kShapes, a, pose_a, b, pose_b, kMargin, m);
    ASSERT_TRUE(touch || depth == 0);
    if (depth == 0 || depth > 0.1) continue;
    ++overlapping;
    const double separation = deepest(m);
    ASSERT_LT(separation, -depth + 0.3 * kMargin) << int(a.kind) << int(b.kind);
    ASSERT_GT(separation, -depth - 0.3 * kMargin) << int(a.kind) << int(b.kind);
  }
  EXPECT_GT(overlapping, 3000);
}

struct Pair {
  physics::Part a, b;
  Pose pose_a, pose_b;
};

// Returns random pairs of parts near each other. Many of them touch.
std::vector<Pair> random_pairs(int count) {
  SplitMix64 random(kSeed);
  std::vector<Pair> pairs;
  const physics::Part parts[] = {kBall, kCapsule, kBox, kRock, kPlane};
  while (static_cast<int>(pairs.size()) < count) {
    const std::uint32_t a = random.below(5);
    const std::uint32_t b = random.below(5);
    if (parts[a].kind == physics::ShapeKind::plane && parts[b].kind == physics::ShapeKind::plane)
      continue;
    Pair pair{parts[a], parts[b], {}, {}};
    pair.a.position = random_vector(random, 0.1);
    pair.a.orientation = random_turn(random);
    pair.pose_a = {random_vector(random, 10), random_turn(random)};
    const Vec3 offset = random_vector(random, 0.8);
    pair.pose_b = {pair.pose_a.position + offset, random_turn(random)};
    pairs.push_back(pair);
  }
  return pairs;
}

TEST(Contact, IsTheSameFromBothSides) {
  int touching = 0;
  for (const Pair& p : random_pairs(20'000)) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", touching " << touching);
    physics::Manifold m, n;
    const bool touch = physics::collide(kShapes, p.a, p.pose_a, p.b, p.pose_b, kMargin, m);
    ASSERT_EQ(touch, physics::collide(kShapes, p.b, p.pose_b, p.a, p.pose_a, kMargin, n));
    if (!touch) continue;
    ++touching;
    expect_sound(m, kMargin);
    // If two faces are equally good, the face of the first body is chosen. Swapping the bodies can
    // then change the depth by up to 0.3 margins.
    EXPECT_NEAR(deepest(m), deepest(n), 0.3 * kMargin);
  }
  EXPECT_GT(touching, 5000);
}

TEST(Contact, MovesWithItsBodies) {
  SplitMix64 random(kSeed);
  for (const Pair& p : random_pairs(20'000)) {
    const Pose by{random_vector(random, 100), random_turn(random)};
    physics::Manifold m, n;
    const bool touch = physics::collide(kShapes, p.a, p.pose_a, p.b, p.pose_b, kMargin, m);
    ASSERT_EQ(touch, physics::collide(kShapes, p.a, by * p.pose_a, p.b, by * p.pose_b, kMargin, n));
    if (!touch) continue;
    EXPECT_LT(length(rotate(by.orientation, m.normal) - n.normal), 1e-6);
    ASSERT_EQ(m.count, n.count);
    for (std::uint32_t i = 0; i < m.count; ++i) {
      EXPECT_EQ(m.points[i].feature, n.points[i].feature);
      EXPECT_NEAR(m.points[i].separation, n.points[i].separation, 1e-9);
      EXPECT_LT(length(rotate(by.orientation, m.points[i].at) - n.points[i].at), 1e-6);
    }
  }
}

// Far from the origin, at positions that are exact in binary64, no precision is lost.
TEST(Contact, IsTheSameFarFromTheOrigin) {
  const Vec3 far{0x1p39, -0x1p39, 0x1p38};
  const Vec3 offset{0.25, 0.5, 0.125};
  const Quat turn = normalized(Quat{0.1, 0.2, -0.3, 0.9});
  physics::Manifold m, n;
  ASSERT_TRUE(physics::collide({}, kBox, {}, kBox, {offset, turn}, kMargin, m));
  ASSERT_TRUE(physics::collide({}, kBox, {far, {}}, kBox, {far + offset, turn}, kMargin, n));
  ASSERT_EQ(m.count, n.count);
  EXPECT_EQ(m.normal, n.normal);
  for (std::uint32_t i = 0; i < m.count; ++i) {
    EXPECT_EQ(m.points[i].at, n.points[i].at);
    EXPECT_EQ(m.points[i].separation, n.points[i].separation);
  }
}

// Sizes and distances range up to 1e9, and sizes down to the limit of 1e-6. Some hulls are as thin
// as the limits allow.
TEST(Contact, StaysFiniteAtTheLimits) {
  SplitMix64 random(kSeed);
  const double sizes[] = {1e-6, 1e-3, 1, 1e9};
  physics::ShapeSet shapes;
  for (const double size : sizes) {
    for (const double thin : {2e-6, 1e-3, 1.0}) {
      std::vector<Vec3> points;
      for (int i = 0; i < 12; ++i) {
        points.push_back(scaled({size, thin * size, size}, random_direction(random)));
      }
      physics::PartDef part;
      part.kind = physics::ShapeKind::hull;
      part.points = points;
      const bool added = shapes.add({{part}}).ok();
      ASSERT_TRUE(added || size * thin < 1e-5);
    }
  }
  const auto draw = [&] {
    const double x = sizes[random.below(4)];
    const double y = sizes[random.below(4)];
    const Vec3 half{x, y, sizes[random.below(4)]};
    const physics::ShapeKind kinds[] = {physics::ShapeKind::sphere, physics::ShapeKind::capsule,
                                        physics::ShapeKind::box};
    const std::uint32_t kind = random.below(4);
    if (kind == 3) return shapes.parts(random.below(shapes.size()))[0];
    return part_of(kinds[kind], x, half, y);
  };
  int touching = 0;
  for (int i = 0; i < 40'000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pair " << i);
    const physics::Part a = draw();
    const physics::Part b = random.below(8) ? draw() : kPlane;
    const Quat turn = random.below(2) ? random_turn(random) : Quat{};
    const Pose pose{random_vector(random, random.below(2) ? 0 : sizes[random.below(4)]), turn};
    physics::Manifold m;
    ASSERT_TRUE(std::isfinite(physics::overlap(shapes, a, {}, b, pose)));
    if (!physics::collide(shapes, a, {}, b, pose, kMargin, m)) continue;
    ++touching;
    ASSERT_GE(m.count, 1u);
    ASSERT_LE(m.count, 4u);
    ASSERT_NEAR(length(m.normal), 1, 1e-9) << int(a.kind) << int(b.kind);
    for (std::uint32_t k = 0; k < m.count; ++k) {
      ASSERT_TRUE(finite(m.points[k].at));
      ASSERT_TRUE(std::isfinite(m.points[k].separation));
    }
  }
  EXPECT_GT(touching, 10'000);
}

}  // namespace
}  // namespace orrery
