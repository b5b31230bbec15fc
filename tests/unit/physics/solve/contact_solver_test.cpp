// Tests piles, stacks and carried bodies: momentum, rest, and numbers that stay finite.
#include "common/physics/solve/contact_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

Vec3 momentum(const ContactWorld& world) {
  Vec3 sum;
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    const double inverse_mass = world.bodies.inverse_mass(slot);
    if (inverse_mass > 0) sum += (1 / inverse_mass) * world.bodies.velocity(slot);
  }
  return sum;
}

double kinetic_energy(const ContactWorld& world) {
  double sum = 0;
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    const double inverse_mass = world.bodies.inverse_mass(slot);
    if (inverse_mass == 0) continue;
    const Vec3 v = world.bodies.velocity(slot), l = world.bodies.angular_momentum(slot);
    sum += 0.5 * (dot(v, v) / inverse_mass + dot(l, scaled(world.bodies.inverse_inertia(slot), l)));
  }
  return sum;
}

// Returns the deepest overlap of any two bodies, from the independent function overlap().
double deepest_overlap(ContactWorld& world) {
  SerialExecutor serial;
  world.broad_phase.update(world.shaped(), {}, serial);
  double deepest = 0;
  for (const physics::Pair& pair : world.broad_phase.pairs()) {
    const physics::Part& a = world.shapes.parts(world.shape_of[pair.a])[0];
    const physics::Part& b = world.shapes.parts(world.shape_of[pair.b])[0];
    deepest =
        std::max(deepest, physics::overlap(world.shapes, a, physics::pose_of(world.bodies, pair.a),
                                           b, physics::pose_of(world.bodies, pair.b)));
  }
  return deepest;
}

TEST(ContactSolver, KeepsTheMomentumOfBodiesThatCollideInFreeFlight) {
  ContactWorld world(256);
  world.gravity = {};
  SplitMix64 random(5);
  const std::uint32_t shapes[] = {world.add_box({0.5, 0.3, 0.2}), world.add_ball(0.4)};
  double scale = 0;
  for (std::uint32_t i = 0; i < 125; ++i) {
    const Vec3 place{1.2 * (i % 5) - 2.4, 1.2 * (i / 5 % 5) - 2.4, 1.2 * (i / 25) - 2.4};
    // Towards the middle, with a random part.
    const Vec3 velocity = -1.0 * place + Vec3{random.symmetric(), 0.5, 0};
    const std::uint32_t slot = world.add(shapes[i % 2], place, velocity, {3, 2, 1});
    scale += length(velocity) / world.bodies.inverse_mass(slot);
  }
  const Vec3 before = momentum(world);
  std::uint32_t contacts = 0;
  for (int i = 0; i < 120; ++i) {
    world.step(1);
    contacts = std::max(contacts, world.solver.contacts().size());
  }
  EXPECT_GT(contacts, 100u);
  EXPECT_LT(length(momentum(world) - before), 1e-12 * scale);
}

TEST(ContactSolver, StaysFiniteWhereBodiesAreSpawnedInsideEachOther) {
  ContactWorld world(256);
  world.add_fixed(world.add_box({20, 1, 20}), {0, -1, 0});
  const std::uint32_t shapes[] = {world.add_box({0.5, 0.5, 0.5}), world.add_ball(0.5)};
  for (std::uint32_t i = 0; i < 200; ++i)
    world.add(shapes[i % 2], {0, 0.5, 0});  // 200 at one point
  world.step(240);
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    ASSERT_TRUE(std::isfinite(length(world.bodies.position(slot)))) << slot;
    EXPECT_LT(length(world.bodies.velocity(slot)), 200) << slot;
    EXPECT_LT(length(world.bodies.position(slot)), 1000) << slot;
  }
}

TEST(ContactSolver, StaysFiniteAndStillAtMassRatiosOfAMillion) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({20, 1, 20}), {0, -1, 0});
  world.add(world.add_box({0.5, 0.5, 0.5}, {}, 1), {0, 0.5, 0});
  const std::uint32_t heavy = world.add(world.add_box({0.5, 0.5, 0.5}, {}, 1e6), {0, 1.5, 0});
  world.step(600);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    ASSERT_TRUE(std::isfinite(length(world.bodies.position(slot))));
    EXPECT_LT(length(world.bodies.velocity(slot)), 5);
  }
  // The heavy box may crush the light box, but must not sink into the floor.
  EXPECT_GT(world.bodies.position(heavy).y, 0.4);
}

TEST(ContactSolver, LeavesAPileOfTumbledBoxesAtRestAndHardlyOverlapping) {
  ContactWorld world(512);
  const std::uint32_t wall_x = world.add_box({0.5, 10, 4}), wall_z = world.add_box({4, 10, 0.5});
  world.add_fixed(world.add_box({4, 1, 4}), {0, -1, 0});
  for (const double side : {-3.5, 3.5}) {
    world.add_fixed(wall_x, {side, 10, 0});
    world.add_fixed(wall_z, {0, 10, side});
  }
  SplitMix64 random(3);
  const std::uint32_t box = world.add_box({0.5, 0.3, 0.2});
  for (std::uint32_t i = 0; i < 200; ++i) {
    Vec3 spin;
    spin.x = 10 * random.symmetric();
    spin.y = 10 * random.symmetric();
    spin.z = 10 * random.symmetric();
    world.add(box, {1.3 * (i % 4) - 1.95, 1 + 1.3 * (i / 16), 1.3 * (i / 4 % 4) - 1.95}, {}, spin);
  }
  world.step(900);
  EXPECT_LT(kinetic_energy(world), 1e-3);
  EXPECT_LT(deepest_overlap(world), 0.03);
}

TEST(ContactSolver, TopplesARowOfDominoes) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({20, 1, 5}), {0, -1, 0});
  const std::uint32_t piece = world.add_box({0.1, 0.5, 0.25});
  std::vector<std::uint32_t> row;
  for (int i = 0; i < 20; ++i) row.push_back(world.add(piece, {-5 + 0.5 * i, 0.5, 0}));
  world.step(60);
  for (const std::uint32_t slot : row) EXPECT_NEAR(world.bodies.position(slot).y, 0.5, 1e-3);
  world.bodies.set_angular_momentum(row[0], Vec3{0, 0, -2.5 * 100 * 0.0867});
  world.bodies.set_velocity(row[0], {1, 0, 0});
  world.step(600);
  for (const std::uint32_t slot : row) {
    EXPECT_LT(world.bodies.position(slot).y, 0.45) << "slot " << slot << " stands";
  }
}

// Adds a kinematic body: it moves and turns at constant rates under any load.
std::uint32_t add_kinematic(ContactWorld& world, std::uint32_t shape, const Vec3& position,
                            const Vec3& velocity, const Vec3& angular_velocity) {
  const std::uint32_t slot = world.add_fixed(shape, position);
  world.bodies.set(physics::BodyField::inverse_inertia_x, slot, Vec3{1, 1, 1});
  world.bodies.set_velocity(slot, velocity);
  world.bodies.set_angular_momentum(slot, angular_velocity);
  return slot;
}

TEST(ContactSolver, CarriesABoxOnAPlatformThatMovesAndOneOnAPlatformThatTurns) {
  ContactWorld world(64);
  const std::uint32_t platform = world.add_box({3, 0.5, 3});
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  const std::uint32_t moving = add_kinematic(world, platform, {0, -0.5, 0}, {1, 0, 0}, {});
  const std::uint32_t turning = add_kinematic(world, platform, {0, -0.5, 20}, {}, {0, 1, 0});
  const std::uint32_t carried = world.add(box, {0, 0.5, 0});
  const std::uint32_t turned = world.add(box, {1, 0.5, 20});
  world.step(180);
  EXPECT_EQ(world.bodies.velocity(moving), (Vec3{1, 0, 0}));
  EXPECT_EQ(world.bodies.angular_velocity(turning).y, 1);
  EXPECT_NEAR(world.bodies.velocity(carried).x, 1, 1e-3);
  EXPECT_NEAR(world.bodies.position(moving).x, 3, 1e-9);
  EXPECT_NEAR(world.bodies.angular_velocity(turned).y, 1, 0.01);
  const Vec3 out = world.bodies.position(turned) - Vec3{0, 0.5, 20};
  EXPECT_NEAR(length(out), 1, 0.2);  // the box slipped outwards before it moved with the platform
  EXPECT_NEAR(length(world.bodies.velocity(turned)), length(out), 0.02);
}

// Returns a ditch between two slopes of 45 degrees along z, as a height field or as a mesh.
physics::PartDef ditch(bool mesh) {
  physics::PartDef part;
  part.kind = mesh ? physics::ShapeKind::mesh : physics::ShapeKind::height_field;
  if (mesh) {
    part.points = {{-5, 5, -5}, {-5, 5, 5}, {0, 0, -5}, {0, 0, 5}, {5, 5, -5}, {5, 5, 5}};
    part.triangles = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}};
  } else {
    part.columns = 3;
    part.spacing = 5;
    part.heights = {5, 0, 5, 5, 0, 5, 5, 0, 5};
    part.pose.position = {-5, 0, -5};
  }
  return part;
}

TEST(ContactSolver, RestsABallAndABoxInADitchOfTriangles) {
  for (const bool mesh : {false, true}) {
    SCOPED_TRACE(mesh);
    ContactWorld world(64);
    const Result<std::uint32_t> ground = world.shapes.add({{ditch(mesh)}});
    ASSERT_TRUE(ground.ok());
    world.add_fixed(ground.value(), {});
    const std::uint32_t ball = world.add(world.add_ball(0.5), {1, 3, 2});
    const std::uint32_t box = world.add(world.add_box({0.5, 0.5, 0.5}), {0.1, 2, -2});
    world.step(900);
    // A ball of radius r that touches both slopes has its centre at the height r sqrt 2.
    EXPECT_NEAR(world.bodies.position(ball).y, 0.5 * std::sqrt(2.0), 5e-3);
    EXPECT_NEAR(world.bodies.position(ball).x, 0, 5e-3);
    EXPECT_LT(length(world.bodies.velocity(ball)), 0.05);
    EXPECT_GT(world.bodies.position(box).y, 0.5);
    EXPECT_LT(world.bodies.position(box).y, 1.3);
    EXPECT_LT(length(world.bodies.velocity(box)), 0.05);
  }
}

// Returns how far, at most, a box of a stack has moved from its place. The stack has `boxes` boxes
// of height 1.
double stack_error(int boxes, int ticks) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({20, 1, 20}), {0, -1, 0});
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  for (int i = 0; i < boxes; ++i) world.add(box, {0, 0.5 + i, 0});
  world.step(ticks);
  double worst = 0;
  for (int i = 0; i < boxes; ++i) {
    const Vec3 at = world.bodies.position(static_cast<std::uint32_t>(i + 1));
    worst = std::max(worst, length(at - Vec3{0, 0.5 + i, 0}));
  }
  return worst;
}

TEST(ContactSolver, KeepsAStackOfTenBoxesStanding) { EXPECT_LT(stack_error(10, 600), 0.02); }

// Returns the largest final angular speed in a stack. At first there is a gap below each box, so
// the boxes fall on each other and the stack sways.
double swaying(int boxes, double gap, int ticks) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({20, 1, 20}), {0, -1, 0});
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  for (int i = 0; i < boxes; ++i) world.add(box, {0, 0.5 + gap + i * (1 + gap), 0});
  world.step(ticks);
  double fastest = 0;
  for (std::uint32_t slot = 1; slot < world.bodies.slots(); ++slot) {
    fastest = std::max(fastest, length(world.bodies.angular_velocity(slot)));
  }
  return fastest;
}

TEST(ContactSolver, LetsTowersOfAnyHeightStopSwaying) {
  for (int boxes = 2; boxes <= 10; ++boxes) {
    for (const double gap : {0.0, 0.01, 0.03}) {
      EXPECT_LT(swaying(boxes, gap, 900), 1e-3) << boxes << " boxes, gap " << gap;
    }
  }
}

TEST(ContactSolver, SlowStackOfTwentyBoxesStandsForAMinute) {
  EXPECT_LT(stack_error(20, 3600), 0.05);
}

TEST(ContactSolver, SlowPyramidStandsForAMinute) {
  ContactWorld world(1280);
  world.add_fixed(world.add_box({50, 1, 50}), {0, -1, 0});
  const std::uint32_t box = world.add_box({1, 1, 1});
  for (int i = 0; i < 15; ++i) {
    for (int j = i / 2; j < 15 - (i + 1) / 2; ++j) {
      for (int k = i / 2; k < 15 - (i + 1) / 2; ++k) {
        const double shift = i & 1 ? 1 : 0;
        world.add(box, {-15 + 2.0 * j + shift, 1 + 2.5 * i, -15 + 2.0 * k + shift});
      }
    }
  }
  const auto top = [&] {
    double y = -std::numeric_limits<double>::infinity();
    for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
      y = std::max(y, world.bodies.position(slot).y);
    }
    return y;
  };
  world.step(300);
  const double settled = top();
  EXPECT_NEAR(settled, 29, 0.02);
  EXPECT_LT(deepest_overlap(world), 0.003);
  world.step(3300);
  EXPECT_NEAR(top(), settled, 0.002);
  EXPECT_LT(kinetic_energy(world), 1e-6);
}

}  // namespace
}  // namespace orrery
