// Tests impacts of a body that hits fixed bodies at several contacts.
#include "common/physics/solve/flat_impacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

// Four balls in the corners of a square, as one body: a table without a top.
std::uint32_t add_feet(ContactWorld& world, std::initializer_list<double> restitutions) {
  std::vector<physics::PartDef> parts;
  int corner = 0;
  for (const double restitution : restitutions) {
    physics::PartDef part;
    part.kind = physics::ShapeKind::sphere;
    part.radius = 0.1;
    part.density = 1000;
    part.material = {0.5, restitution, 0};
    part.pose.position = {corner % 2 == 0 ? -0.5 : 0.5, 0, corner < 2 ? -0.5 : 0.5};
    parts.push_back(part);
    ++corner;
  }
  return world.shapes.add({parts}).value();
}

// Lets the feet fall flat on a floor with 4 m/s, and returns the slot.
std::uint32_t drop(ContactWorld& world, std::uint32_t shape, const Vec3& spin = {},
                   double sideways = 0) {
  world.add_fixed(world.add_box({8, 1, 8}), {0, -1, 0});
  const std::uint32_t slot = world.add(shape, {0, 0.11, 0}, {sideways, -4, 0}, spin);
  SerialExecutor serial;
  world.strike(serial);
  return slot;
}

// One foot after the other, the body would turn at about 3 rad/s.
TEST(FlatImpacts, AFlatFallBouncesStraightUp) {
  ContactWorld world(8);
  const std::uint32_t slot = drop(world, add_feet(world, {0.5, 0.5, 0.5, 0.5}));
  const Vec3 v = world.bodies.velocity(slot), w = world.bodies.angular_velocity(slot);
  EXPECT_NEAR(v.y, 2, 0.05);
  EXPECT_LT(std::hypot(v.x, v.z), 1e-12);
  EXPECT_LT(length(w), 1e-12);
}

// A body that spins about the vertical axis keeps the axis, and friction slows the spin down.
TEST(FlatImpacts, FrictionActsOnAllFeetAlike) {
  ContactWorld world(8);
  const std::uint32_t slot = drop(world, add_feet(world, {0.5, 0.5, 0.5, 0.5}), {0, 3, 0});
  const Vec3 v = world.bodies.velocity(slot), w = world.bodies.angular_velocity(slot);
  EXPECT_LT(std::hypot(v.x, v.z), 1e-9);
  EXPECT_LT(std::hypot(w.x, w.z), 1e-9);
  EXPECT_GE(w.y, 0);
  EXPECT_LT(w.y, 3);
}

// Friction that does not stop the feet is the friction coefficient times the whole impulse along
// the normals: 0.5 of 6 m/s.
TEST(FlatImpacts, AllFeetThatSlideRub) {
  ContactWorld world(8);
  const std::uint32_t slot = drop(world, add_feet(world, {0.5, 0.5, 0.5, 0.5}), {}, 10);
  EXPECT_NEAR(world.bodies.velocity(slot).x, 7, 0.05);
}

// Control: feet that bounce differently turn the body.
TEST(FlatImpacts, FeetThatDifferTurnTheBody) {
  ContactWorld world(8);
  const std::uint32_t slot = drop(world, add_feet(world, {0.9, 0.1, 0.9, 0.1}));
  EXPECT_GT(length(world.bodies.angular_velocity(slot)), 0.5);
}

}  // namespace
}  // namespace orrery
