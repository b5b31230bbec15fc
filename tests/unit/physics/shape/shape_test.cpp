// Tests mass properties and bounds of shapes against sums over random points.
#include "common/physics/shape/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/core/rng.h"
#include "common/math/mat3.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x5AFE;

physics::PartDef sphere(double radius, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::sphere;
  part.radius = radius;
  part.pose = pose;
  return part;
}

physics::PartDef capsule(double radius, double half_length, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::capsule;
  part.radius = radius;
  part.half_length = half_length;
  part.pose = pose;
  return part;
}

physics::PartDef box(const Vec3& half_extents, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::box;
  part.half_extents = half_extents;
  part.pose = pose;
  return part;
}

physics::PartDef hull(const std::vector<Vec3>& points, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  part.points = points;
  part.pose = pose;
  return part;
}

// Returns a wedge with its sharp edge at x = 1, away from the origin of the part.
std::vector<Vec3> wedge() {
  return {{0, 0, 0}, {0, 0.8, 0}, {1, 0, 0}, {0, 0, 0.6}, {0, 0.8, 0.6}, {1, 0, 0.6}};
}

// Returns true if a point is inside a part, independently, from the definition of its kind.
bool inside(const physics::PartDef& part, const Vec3& p) {
  const Vec3 q = rotate_back(part.pose.orientation, p - part.pose.position);
  switch (part.kind) {
    case physics::ShapeKind::sphere:
      return length(q) <= part.radius;
    case physics::ShapeKind::capsule: {
      const double y = std::clamp(q.y, -part.half_length, part.half_length);
      return length(q - Vec3{0, y, 0}) <= part.radius;
    }
    case physics::ShapeKind::hull:  // the wedge
      return q.x >= 0 && q.y >= 0 && q.y <= 0.8 * (1 - q.x) && q.z >= 0 && q.z <= 0.6;
    default:
      return std::abs(q.x) <= part.half_extents.x && std::abs(q.y) <= part.half_extents.y &&
             std::abs(q.z) <= part.half_extents.z;
  }
}

// Mass, centre of mass and inertia from random points in a cube of half size `half`.
struct Sampled {
  double mass = 0;
  Vec3 centre;
  double moments[6] = {};  // about the centre: xx yy zz xy xz yz
};

Sampled sampled(const physics::ShapeDef& shape, double half, const Pose& frame) {
  constexpr int kPoints = 1'000'000;
  SplitMix64 random(kSeed);
  Sampled sum;
  for (int i = 0; i < kPoints; ++i) {
    const double x = half * random.symmetric();
    const double y = half * random.symmetric();
    const double z = half * random.symmetric();
    double density = 0;
    for (const physics::PartDef& part : shape.parts)
      density += inside(part, {x, y, z}) ? part.density : 0;
    const double mass = density * 8 * half * half * half / kPoints;
    const Vec3 p = rotate_back(frame.orientation, Vec3{x, y, z} - frame.position);
    sum.mass += mass;
    sum.centre += mass * p;
    sum.moments[0] += mass * (p.y * p.y + p.z * p.z);
    sum.moments[1] += mass * (p.x * p.x + p.z * p.z);
    sum.moments[2] += mass * (p.x * p.x + p.y * p.y);
    sum.moments[3] += mass * p.x * p.y;
    sum.moments[4] += mass * p.x * p.z;
    sum.moments[5] += mass * p.y * p.z;
  }
  return sum;
}

// Checks that in the computed frame the sampled body is centred and its inertia is diagonal.
void expect_mass_properties(const physics::ShapeDef& definition, double half) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  physics::ShapeSet set;
  const physics::MassProperties mass = set.shape(set.add(definition).value()).mass;
  const Sampled samples = sampled(definition, half, mass.frame);
  const double largest = std::max({mass.inertia.x, mass.inertia.y, mass.inertia.z});
  EXPECT_NEAR(samples.mass / mass.mass, 1, 0.01);
  EXPECT_LT(length(samples.centre) / mass.mass, 0.005 * half);
  EXPECT_NEAR(samples.moments[0] / largest, mass.inertia.x / largest, 0.01);
  EXPECT_NEAR(samples.moments[1] / largest, mass.inertia.y / largest, 0.01);
  EXPECT_NEAR(samples.moments[2] / largest, mass.inertia.z / largest, 0.01);
  for (int i = 3; i < 6; ++i) EXPECT_NEAR(samples.moments[i] / largest, 0, 0.01) << i;
}

const Quat kTurned = normalized(Quat{0.3, -0.5, 0.2, 0.7});

TEST(Shape, HasTheMassPropertiesOfItsPoints) {
  expect_mass_properties({{sphere(0.8, {{0.1, 0.2, -0.1}, {}})}}, 1.1);
  expect_mass_properties({{capsule(0.4, 0.7)}}, 1.2);
  expect_mass_properties({{box({0.5, 0.3, 0.1}, {{0.2, 0, 0}, kTurned})}}, 0.9);
}

TEST(Shape, CentresAHull) {
  expect_mass_properties({{hull(wedge(), {{-0.5, 0.1, -0.2}, kTurned})}}, 1.4);
  // Far from the origin of the shape no precision is lost.
  physics::ShapeSet set;
  const Pose far{{1e6, -1e6, 1e6}, kTurned};
  const physics::Shape here = set.shape(set.add({{hull(wedge())}}).value());
  const physics::Shape there = set.shape(set.add({{hull(wedge(), far)}}).value());
  EXPECT_NEAR(there.mass.mass, here.mass.mass, 1e-9 * here.mass.mass);
  EXPECT_NEAR(there.mass.inertia.x, here.mass.inertia.x, 1e-9 * here.mass.inertia.x);
  EXPECT_NEAR(here.mass.mass, 1000 * 0.5 * 0.8 * 0.6, 1e-9);
  EXPECT_NEAR(length(here.mass.frame.position - Vec3{1.0 / 3, 0.8 / 3, 0.3}), 0, 1e-12);
  EXPECT_NEAR(here.reach, length(Vec3{2.0 / 3, 0.8 / 3, 0.3}), 1e-9);
}

TEST(Shape, PutsACompoundIntoItsPrincipalAxes) {
  physics::PartDef heavy = box({0.2, 0.4, 0.3}, {{0.5, -0.2, 0.1}, kTurned});
  heavy.density = 3000;
  expect_mass_properties({{heavy, capsule(0.2, 0.6, {{-0.3, 0.2, 0}, {}}), hull(wedge())}}, 1.2);
}

TEST(Shape, KeepsTheAxesOfASinglePartToTheLastBit) {
  physics::ShapeSet set;
  const Pose pose{{1, 2, 3}, kTurned};
  const std::uint32_t index = set.add({{box({0.5, 0.3, 0.1}, pose)}}).value();
  EXPECT_EQ(set.shape(index).mass.frame, pose);
  EXPECT_EQ(set.parts(index)[0].position, Vec3{});
  EXPECT_EQ(set.parts(index)[0].orientation, Quat{});
  EXPECT_DOUBLE_EQ(set.shape(index).mass.mass, 1000 * 8 * 0.5 * 0.3 * 0.1);
}

// Bounds contain every point of the part. The bounds of a box and a sphere are tight.
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
  EXPECT_EQ(set.add({{hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})}}).error().message,
            "part 0: a hull must have 4 to 4096 points");
  physics::PartDef rough = sphere(1);
  rough.material.friction = -1;
  EXPECT_EQ(set.add({{sphere(1), rough}}).error().message,
            "part 1: friction must be from 0 to 1000");
  EXPECT_EQ(set.size(), 0u);
}

}  // namespace
}  // namespace orrery
