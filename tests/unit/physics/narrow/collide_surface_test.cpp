// Tests meshes and height fields: contacts, times of impact and rays.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x5E2FACE;
constexpr double kMargin = 0.02;
constexpr double kTarget = 1e-3;

using Manifolds = std::array<physics::Manifold, physics::kSurfaceManifoldsMax>;

// Returns the height field y = height(x, z) of 20 x 20 cells of 0.3 m, for x and z from -3 to 3.
template <class Height>
physics::PartDef field(const Height& height) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::height_field;
  part.columns = 21;
  part.spacing = 0.3;
  part.pose.position = {-3, 0, -3};
  for (int i = 0; i < 21 * 21; ++i) {
    part.heights.push_back(height(0.3 * (i % 21) - 3, 0.3 * (i / 21) - 3));
  }
  return part;
}

// Returns the surface of a box as a mesh of twelve triangles.
physics::PartDef box_mesh(const Vec3& half) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::mesh;
  for (int i = 0; i < 8; ++i) {
    part.points.push_back(
        {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  }
  part.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return part;
}

physics::Part rock(physics::ShapeSet& shapes) {
  SplitMix64 random(kSeed);
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  for (int i = 0; i < 16; ++i) part.points.push_back(0.3 * random_direction(random));
  return shapes.parts(shapes.add({{part}}).value())[0];
}

const physics::Part kBall = part_of(physics::ShapeKind::sphere, 0.4);
const physics::Part kCapsule = part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4);
const physics::Part kBox = part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2});

double deepest(const physics::Manifold& manifold) {
  double least = manifold.points[0].separation;
  for (std::uint32_t i = 1; i < manifold.count; ++i) {
    least = std::min(least, manifold.points[i].separation);
  }
  return least;
}

// A flat height field pushes a part straight up at any place and rotation, as a plane does.
TEST(Surface, IsAsFlatAsAPlane) {
  physics::ShapeSet shapes;
  const physics::Part flat =
      shapes.parts(shapes.add({{field([](double, double) { return 0; })}}).value())[0];
  const physics::Part plane = part_of(physics::ShapeKind::plane, 0);
  const physics::Part parts[] = {kBall, kCapsule, kBox, rock(shapes)};
  SplitMix64 random(kSeed);
  int touching = 0;
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", place " << i);
    const physics::Part& part = parts[random.below(4)];
    const Quat turn = random.below(2) ? random_turn(random) : Quat{0, random.symmetric(), 0, 1};
    Pose pose{random_vector(random, 1.5), normalized(turn)};
    pose.position.y = 0.25 + 0.2 * random.symmetric();
    physics::Manifold m;
    Manifolds n;
    const bool touch = physics::collide(shapes, part, pose, plane, {}, kMargin, m);
    const std::uint32_t count = physics::collide_surface(shapes, part, pose, flat, {}, kMargin, n);
    ASSERT_EQ(count, touch ? 1u : 0u);
    if (!touch) continue;
    ++touching;
    ASSERT_NEAR(n[0].normal.y, -1, 1e-12);
    // Compares the depth only if it is small, because a deep body also penetrates triangles that
    // are not below it.
    if (deepest(m) > -kMargin) {
      ASSERT_NEAR(deepest(n[0]), deepest(m), 0.5 * kMargin);
    }
    std::set<std::uint32_t> features;
    for (std::uint32_t k = 0; k < n[0].count; ++k) {
      features.insert(n[0].points[k].feature);
      ASSERT_NEAR(pose.position.y + n[0].points[k].at.y, n[0].points[k].separation / 2, 1e-7);
    }
    ASSERT_EQ(features.size(), n[0].count);
  }
  EXPECT_GT(touching, 5000);
}

// The corners of a box keep their feature ids while it slides on a flat height field.
TEST(Surface, KeepsTheNamesOfTheCornersOfABox) {
  physics::ShapeSet shapes;
  const physics::Part flat =
      shapes.parts(shapes.add({{field([](double, double) { return 0; })}}).value())[0];
  std::set<std::set<std::uint32_t>> seen;
  for (double x = -1; x < 1; x += 0.0137) {
    const Pose pose{{x, 0.295, 0.3 * x}, normalized({0, 0.1, 0, 1})};
    Manifolds m;
    ASSERT_EQ(physics::collide_surface(shapes, kBox, pose, flat, {}, kMargin, m), 1u);
    ASSERT_EQ(m[0].count, 4u);
    std::set<std::uint32_t> names;
    for (const physics::ManifoldPoint& p : m[0].points) names.insert(p.feature);
    seen.insert(names);
  }
  EXPECT_EQ(seen.size(), 1u);
}

// Compares the mesh of a box with a solid box, for which there is different code. Parts that
// overlap the box deeply are skipped. The depth is compared only for parts that touch one side.
TEST(Surface, OfABoxIsLikeTheBox) {
  physics::ShapeSet shapes;
  const Vec3 half{1.5, 1, 1.2};
  const physics::Part mesh = shapes.parts(shapes.add({{box_mesh(half)}}).value())[0];
  const physics::Part solid = part_of(physics::ShapeKind::box, 0, half);
  const physics::Part parts[] = {kBall, kCapsule, kBox, rock(shapes)};
  SplitMix64 random(kSeed);
  int touching = 0, one_side = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t kind = random.below(4);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", place " << i << ", kind " << kind);
    const physics::Part& part = parts[kind];
    const Pose pose{random_vector(random, 1.9), random_turn(random)};
    const double depth = physics::overlap(shapes, part, pose, solid, {});
    if (depth > 0.1) continue;
    Manifolds m;
    const std::uint32_t count = physics::collide_surface(shapes, part, pose, mesh, {}, kMargin, m);
    if (depth > 0.3 * kMargin) {
      ASSERT_GE(count, 1u);
    }
    if (count == 0) continue;
    ++touching;
    double least = 1;
    for (std::uint32_t k = 0; k < count; ++k) {
      EXPECT_NEAR(length(m[k].normal), 1, 1e-9);
      least = std::min(least, deepest(m[k]));
      // The contact pushes the part out of the box, opposite to the normal.
      EXPECT_LT(dot(m[k].normal, pose.position), 0);
    }
    if (count == 1) {
      ++one_side;
      ASSERT_NEAR(least, -depth, kMargin);
    }
  }
  EXPECT_GT(touching, 1000);
  EXPECT_GT(one_side, 700);
}

TEST(Surface, HoldsABallInADitchFromBothSides) {
  physics::ShapeSet shapes;
  const auto ditch = [](double x, double) { return x < 0 ? -x : x; };
  const physics::Part part = shapes.parts(shapes.add({{field(ditch)}}).value())[0];
  // A ball between two slopes at right angles, which overlaps each slope by 5 mm.
  const Pose pose{{0, (0.4 - 0.005) * std::sqrt(2), 0.1}, {}};
  Manifolds m;
  ASSERT_EQ(physics::collide_surface(shapes, kBall, pose, part, {}, kMargin, m), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(m[i].count, 1u);
    EXPECT_NEAR(m[i].normal.y, -std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(m[i].points[0].separation, -0.005, 1e-12);
  }
  EXPECT_NEAR(m[0].normal.x + m[1].normal.x, 0, 1e-12);
  // With the bodies swapped, the normals point the other way.
  Manifolds n;
  ASSERT_EQ(physics::collide_surface(shapes, part, {}, kBall, pose, kMargin, n), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(length(m[i].normal + n[i].normal), 1e-12);
}

TEST(Surface, IsMetByWhatIsFast) {
  physics::ShapeSet shapes;
  const auto hill = [](double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(3 * z); };
  const physics::Part part = shapes.parts(shapes.add({{field(hill)}}).value())[0];
  SplitMix64 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", ball " << i);
    const Vec3 from{2 * random.symmetric(), 4, 2 * random.symmetric()};
    const Vec3 by{0.5 * random.symmetric(), -8, 0.5 * random.symmetric()};
    const physics::Motion way{{from, {}}, {from + by, {}}};
    const auto impact = physics::time_of_impact(shapes, kBall, way, part, {}, kTarget);
    ASSERT_TRUE(impact);
    const auto mirrored = physics::time_of_impact(shapes, part, {}, kBall, way, kTarget);
    ASSERT_TRUE(mirrored);
    EXPECT_NEAR(mirrored->fraction, impact->fraction, 1e-9);
    // At the time of impact, the separation in the contact is from 1 to 1.25 times kTarget.
    Manifolds m;
    const Pose there = physics::pose_at(way, impact->fraction);
    const std::uint32_t count =
        physics::collide_surface(shapes, kBall, there, part, {}, kMargin, m);
    ASSERT_GE(count, 1u);
    double least = 1;
    for (std::uint32_t k = 0; k < count; ++k) least = std::min(least, deepest(m[k]));
    EXPECT_NEAR(least, 1.125 * kTarget, 0.126 * kTarget);
    // A ray along the path of the centre meets the surface later than the part does.
    const auto hit = physics::cast_ray(shapes, part, {}, from, by);
    ASSERT_TRUE(hit);
    EXPECT_GT(hit->fraction, impact->fraction);
    EXPECT_GT(hit->normal.y, 0);
    EXPECT_FALSE(physics::cast_ray(shapes, part, {}, from + by, -by));  // from the back
  }
}

TEST(Surface, LetsNoRayThroughBetweenTriangles) {
  physics::ShapeSet shapes;
  const auto hill = [](double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(3 * z); };
  const physics::Part part = shapes.parts(shapes.add({{field(hill)}}).value())[0];
  const physics::TriangleMesh& mesh = shapes.mesh(part);
  SplitMix64 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    // Aims rays at vertices and at points on edges, but not near the rim.
    const physics::Triangle& t = mesh.triangles[random.below(static_cast<std::uint32_t>(800))];
    const Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]];
    const double f = 0.25 * random.below(5);
    const Vec3 at = part.position + a + f * (b - a);
    if (std::abs(at.x) > 2.9 || std::abs(at.z) > 2.9) continue;
    const Vec3 by{0.3 * random.symmetric(), -5, 0.3 * random.symmetric()};
    ASSERT_TRUE(physics::cast_ray(shapes, part, {}, at - 0.5 * by, by)) << i;
  }
}

// Random triangles, many of which cross each other, give finite results.
TEST(Surface, StaysFiniteWhateverItIs) {
  SplitMix64 random(kSeed);
  physics::PartDef soup;
  soup.kind = physics::ShapeKind::mesh;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const double size = random.below(2) ? 1 : 1e-3;
    const Vec3 at = random_vector(random, 1);
    for (std::uint32_t k = 0; k < 3; ++k) {
      soup.points.push_back(at + random_vector(random, size));
    }
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  // A duplicate of triangle 0: two triangles use each of its sides in the same direction.
  soup.triangles.push_back({0, 1, 2});
  physics::ShapeSet shapes;
  const physics::Part part = shapes.parts(shapes.add({{soup}}).value())[0];
  const physics::Part parts[] = {kBall, kCapsule, kBox, rock(shapes)};
  for (int i = 0; i < 2000; ++i) {
    const Pose pose{random_vector(random, 1), random_turn(random)};
    Manifolds m;
    const physics::Part& body = parts[random.below(4)];
    const std::uint32_t count = physics::collide_surface(shapes, body, pose, part, {}, kMargin, m);
    ASSERT_LE(count, physics::kSurfaceManifoldsMax);
    for (std::uint32_t k = 0; k < count; ++k) {
      ASSERT_GE(m[k].count, 1u);
      ASSERT_NEAR(length(m[k].normal), 1, 1e-9);
      for (std::uint32_t p = 0; p < m[k].count; ++p) {
        ASSERT_TRUE(std::isfinite(m[k].points[p].separation));
        ASSERT_TRUE(std::isfinite(length(m[k].points[p].at)));
      }
    }
  }
}

}  // namespace
}  // namespace orrery
