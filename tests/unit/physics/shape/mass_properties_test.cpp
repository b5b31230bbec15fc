// Tests mass properties of shapes against sums over random points.
#include "common/physics/shape/mass_properties.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "common/core/rng.h"
#include "common/math/mat3.h"
#include "common/physics/shape/shape.h"
#include "tests/unit/physics/shape/part_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x5AFE;

// Sums over random points of a shape, in a frame.
struct Sampled {
  double mass = 0;
  Vec3 centre;             // the sum of mass times position, not divided by the mass
  double moments[6] = {};  // about the origin: moments of inertia x, y, z; sums of m xy, m xz, m yz
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
  // Far from the origin of the shape, mass and inertia keep nine digits.
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

}  // namespace
}  // namespace orrery
