// Tests that the rows of the solver agree with the arrays of bodies, and that impulses on rows
// change the bodies.
#include "common/physics/body/body_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/core/rng.h"
#include "common/math/mat3.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using physics::BodyField;

// Returns 100 bodies with random motion. Every fourth one is fixed.
physics::Bodies random_bodies(SplitMix64& random) {
  physics::Bodies bodies(128);
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    bodies.occupy(slot);
    bodies.set_position(slot, test::draw(random, 10));
    bodies.set_orientation(slot, test::draw_orientation(random));
    bodies.set_velocity(slot, test::draw(random, 5));
    if (slot % 4 == 0) continue;
    const auto near_one = [&] { return 1.5 + 0.5 * random.symmetric(); };
    bodies.set(BodyField::inverse_mass, slot, near_one());
    const double x = near_one(), y = near_one(), z = near_one();
    bodies.set(BodyField::inverse_inertia_x, slot, Vec3{x, y, z});
    bodies.set_angular_momentum(slot, test::draw(random, 3));
  }
  return bodies;
}

Vec3 vector_at(const physics::SolverBody& row, std::uint32_t first) {
  return {row.at[first], row.at[first + 1], row.at[first + 2]};
}

void expect_near(const Vec3& a, const Vec3& b) { EXPECT_NEAR(length(a - b), 0, 1e-13); }

TEST(BodyRows, HoldTheBodiesInWorldAxes) {
  SplitMix64 random(0x505);
  const physics::Bodies bodies = random_bodies(random);
  physics::BodyRowMemory memory(bodies.capacity());
  for (std::uint32_t slot = 0; slot < 100; ++slot) memory.used().set(slot);
  const physics::BodyRows& rows = memory.rows();
  physics::load_poses(bodies, rows, 0, bodies.tiles());
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    SCOPED_TRACE(testing::Message() << "slot " << slot);
    expect_near(vector_at(rows.motion[slot], 0), bodies.velocity(slot));
    expect_near(vector_at(rows.motion[slot], 3), bodies.angular_velocity(slot));
    EXPECT_EQ(rows.motion[slot].inverse_mass(), bodies.inverse_mass(slot));
    expect_near(vector_at(rows.pose[slot], 0), bodies.position(slot));
    EXPECT_EQ(rows.pose[slot].at[6], bodies.orientation(slot).w);
    // Computes I^-1 v with the matrix in the row, and by rotating v to body axes and back.
    const physics::SolverBody& i = rows.inertia[slot];
    const Vec3 v = test::draw(random, 1);
    const Vec3 by_row{i.at[0] * v.x + i.at[3] * v.y + i.at[4] * v.z,
                      i.at[3] * v.x + i.at[1] * v.y + i.at[5] * v.z,
                      i.at[4] * v.x + i.at[5] * v.y + i.at[2] * v.z};
    const Quat q = bodies.orientation(slot);
    expect_near(by_row, rotate(q, scaled(bodies.inverse_inertia(slot), rotate_back(q, v))));
  }
}

TEST(BodyRows, LeaveBodiesAloneThatNoImpulseChanges) {
  SplitMix64 random(0x506);
  physics::Bodies bodies = random_bodies(random);
  const physics::Bodies before = [&] {
    SplitMix64 same(0x506);
    return random_bodies(same);
  }();
  physics::BodyRowMemory memory(bodies.capacity());
  for (std::uint32_t slot = 0; slot < 100; slot += 3) memory.used().set(slot);
  physics::load_poses(bodies, memory.rows(), 0, bodies.tiles());
  physics::load_velocities(bodies, memory.rows(), 0, bodies.tiles());
  physics::store_velocities(bodies, memory.rows(), 0, bodies.tiles());
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    EXPECT_EQ(bodies.velocity(slot), before.velocity(slot));
    EXPECT_EQ(bodies.angular_momentum(slot), before.angular_momentum(slot));
  }
}

// An angular impulse J in world axes changes the angular momentum in body axes by R^T J.
TEST(BodyRows, TurnChangesOfVelocityIntoMomentum) {
  SplitMix64 random(0x507);
  physics::Bodies bodies = random_bodies(random);
  physics::BodyRowMemory memory(bodies.capacity());
  const physics::BodyRows& rows = memory.rows();
  for (std::uint32_t slot = 0; slot < 100; ++slot) memory.used().set(slot);
  physics::load_poses(bodies, rows, 0, bodies.tiles());
  physics::load_and_push(bodies, rows, 0, bodies.tiles());
  for (std::uint32_t slot = 1; slot < 100; slot += 4) {
    const Vec3 impulse = test::draw(random, 2), angular = test::draw(random, 2);
    const Quat q = bodies.orientation(slot);
    const Vec3 dw = rotate(q, scaled(bodies.inverse_inertia(slot), rotate_back(q, angular)));
    const Vec3 dv = bodies.inverse_mass(slot) * impulse;
    const Vec3 v = bodies.velocity(slot), l = bodies.angular_momentum(slot);
    double* const at = rows.motion[slot].at;
    at[0] += dv.x, at[1] += dv.y, at[2] += dv.z;
    at[3] += dw.x, at[4] += dw.y, at[5] += dw.z;
    physics::store_pushed(bodies, rows, 0.5, slot / 64, slot / 64 + 1);
    expect_near(bodies.velocity(slot), v + dv);
    EXPECT_NEAR(length(bodies.angular_momentum(slot) - (l + rotate_back(q, angular))), 0, 1e-12);
    expect_near(vector_at(rows.pushed[slot], 0), dv);
    physics::load_poses(bodies, rows, 0, bodies.tiles());
    physics::load_and_push(bodies, rows, 0, bodies.tiles());
  }
}

// Bodies turn that rotate faster than the bound, and kinematic bodies that rotate at all.
TEST(BodyRows, FindTheBodiesThatTurn) {
  SplitMix64 random(0x507);
  physics::Bodies bodies = random_bodies(random);
  bodies.set(BodyField::inverse_inertia_x, 8, Vec3{1, 1, 1});  // kinematic
  bodies.set_angular_momentum(8, {0, 1e-6, 0});
  physics::BodyRowMemory memory(bodies.capacity());
  for (std::uint32_t slot = 0; slot < 90; ++slot) memory.used().set(slot);
  physics::find_turning(bodies, memory.rows(), 4, 0, bodies.tiles());
  std::uint32_t turning = 0;
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    const bool fast = length(bodies.angular_velocity(slot)) > 4 && bodies.inverse_mass(slot) > 0;
    EXPECT_EQ(memory.rows().turns(slot), slot < 90 && (fast || slot == 8)) << slot;
    turning += memory.rows().turns(slot) ? 1 : 0;
  }
  EXPECT_GT(turning, 10u);
  EXPECT_LT(turning, 60u);
}

// While a body turns, the impulses that were given to it keep their angular momentum.
TEST(BodyRows, KeepTheAngularMomentumOfPushesOnTurnedBodies) {
  SplitMix64 random(0x508);
  physics::Bodies bodies = random_bodies(random);
  physics::BodyRowMemory memory(bodies.capacity());
  for (std::uint32_t slot = 0; slot < 100; ++slot) memory.used().set(slot);
  const physics::BodyRows& rows = memory.rows();
  physics::load_poses(bodies, rows, 0, bodies.tiles());
  std::vector<Vec3> momenta(100), given(100);
  // Returns the angular momentum for an angular velocity, both in world axes.
  const auto momentum = [&](std::uint32_t slot, const Vec3& w) {
    const Vec3 i = bodies.inverse_inertia(slot), local = rotate_back(bodies.orientation(slot), w);
    return rotate(bodies.orientation(slot), Vec3{local.x / i.x, local.y / i.y, local.z / i.z});
  };
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    given[slot] = test::draw(random, 2);
    for (std::uint32_t k = 0; k < 3; ++k) rows.pushed[slot].at[k] = 1;
    rows.pushed[slot].at[3] = given[slot].x;
    rows.pushed[slot].at[4] = given[slot].y;
    rows.pushed[slot].at[5] = given[slot].z;
    if (slot % 4 != 0) momenta[slot] = momentum(slot, given[slot]);
    bodies.set_orientation(slot, test::draw_orientation(random));
  }
  physics::find_turning(bodies, rows, 0, 0, bodies.tiles());
  physics::load_turned(bodies, rows, 0, bodies.tiles());
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    const Vec3 w = vector_at(rows.pushed[slot], 3);
    EXPECT_EQ(vector_at(rows.pushed[slot], 0), (Vec3{1, 1, 1}));
    EXPECT_EQ(rows.pose[slot].at[3], bodies.orientation(slot).x);
    if (slot % 4 == 0) {
      EXPECT_EQ(w, given[slot]) << slot;
    } else {
      EXPECT_NEAR(length(momentum(slot, w) - momenta[slot]), 0, 1e-12) << slot;
    }
  }
}

}  // namespace
}  // namespace orrery
