// Tests that the limits of a scene hold against absurd commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "common/core/rng.h"
#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr float kAbsurd = 9e23f;  // close to the largest force that a command may have
constexpr std::uint32_t kClient = 1;
const BodyId kBody{0};

// Returns a scene with one body in empty space.
Scene lone(const Vec3& inertia = {1, 1, 1}, double mass = 1) {
  Scene scene;
  scene.name = "lone";
  scene.bodies.resize(1);
  scene.bodies[0].mass = mass;
  scene.bodies[0].inertia = inertia;
  return scene;
}

World joined(Scene scene) {
  World world(std::move(scene));
  EXPECT_TRUE(try_command(world, join(kClient, Role::play)));
  return world;
}

double speed(const World& world) { return length(world.bodies().velocity(0)); }
double spin(const World& world) { return length(world.bodies().angular_velocity(0)); }

bool push(World& world, CommandPayload payload) {
  return try_command(world, give(kClient, std::move(payload)));
}

TEST(CommandLimits, AThrustAcceleratesByTheLimitAtMost) {
  for (const double mass : {1e-12, 1.0, 1e9}) {
    World world = joined(lone({1, 1, 1}, mass));
    EXPECT_TRUE(push(world, command::Thrust{kBody, {0, kAbsurd, 0}}));
    EXPECT_NEAR(speed(world), 1000.0 / 60, 1e-9);
    run(world, 2);
    EXPECT_NEAR(speed(world), 3 * 1000.0 / 60, 1e-9);
  }
}

TEST(CommandLimits, AHeldThrustEndsAtTheLargestSpeed) {
  for (const Integrator integrator : every_integrator()) {
    SCOPED_TRACE(name_of(integrator));
    World world = joined(scene_for(integrator, lone()));
    EXPECT_TRUE(push(world, command::Thrust{kBody, {kAbsurd, -kAbsurd, 0}}));
    double fastest = 0;
    SerialExecutor serial;
    for (int i = 0; i < 3 * 60 * 60; ++i) {
      step(world, {}, serial);
      fastest = std::max(fastest, speed(world));
    }
    EXPECT_NEAR(speed(world), 200, 1e-6);
    EXPECT_LT(fastest, 200 + 1e-6);
    EXPECT_TRUE(push(world, command::Thrust{kBody, {-kAbsurd, kAbsurd, 0}}));
    run(world, 11);
    EXPECT_LT(speed(world), 20);  // the opposite force slows it as hard as the first one pushed it
  }
}

// Tests the spin limit with a constant torque in the world frame, on two balls, a plate and a rod.
TEST(CommandLimits, AHeldTorqueEndsAtTheLargestSpin) {
  for (const Integrator integrator : every_integrator()) {
    SCOPED_TRACE(name_of(integrator));
    for (const Vec3& inertia :
         {Vec3{1, 1, 1}, Vec3{1e-9, 1e-9, 1e-9}, Vec3{1, 2, 3}, Vec3{0.05, 1, 1.02}}) {
      const double ratio =
          std::max({inertia.x, inertia.y, inertia.z}) / std::min({inertia.x, inertia.y, inertia.z});
      World world = joined(scene_for(integrator, lone(inertia)));
      EXPECT_TRUE(push(world, command::Torque{kBody, {kAbsurd, 0.5f * kAbsurd, -kAbsurd}}));
      double fastest = 0;
      SerialExecutor serial;
      for (int i = 0; i < 3 * 60 * 60; ++i) {
        step(world, {}, serial);
        fastest = std::max(fastest, spin(world));
      }
      EXPECT_GT(spin(world), 90 / std::sqrt(ratio)) << inertia.x;
      EXPECT_LT(fastest, 100.001 * std::sqrt(ratio)) << inertia.x;
    }
  }
}

// Returns the kinetic energy of rotation.
double turning_energy(const World& world) {
  const Vec3 l = world.bodies().angular_momentum(0);
  return 0.5 * dot(l, scaled(world.bodies().inverse_inertia(0), l));
}

// A client sees the attitude of a rod and gives it a transverse torque within the limit. In one
// tick the rod turns by one or two radians. The same torque then acts along the rod, where the
// inertia is small.
TEST(CommandLimits, ATorqueThatFollowsARodAddsNoMoreEnergyThanTheLargestSpinHas) {
  constexpr std::uint64_t kSeed = 20261122;
  constexpr double kThin = 2 * 0.02 * 0.02 / 3, kHeavy = (1 + 0.02 * 0.02) / 3;
  constexpr double kTorque = 900 * kHeavy;
  for (const Integrator integrator : every_integrator()) {
    SCOPED_TRACE(std::string(name_of(integrator)) + ", seed " + std::to_string(kSeed));
    SplitMix64 draw(kSeed);
    World world = joined(scene_for(integrator, lone({kThin, kHeavy, kHeavy})));
    SerialExecutor serial;
    double most = 0;
    for (int i = 0; i < 6000; ++i) {
      if (i % 3 == 0) {
        const double y = draw.symmetric(), z = draw.symmetric();
        const Vec3 torque =
            rotate(world.bodies().orientation(0), Vec3{0, 0.7 * kTorque * y, 0.7 * kTorque * z});
        EXPECT_TRUE(push(world, command::Torque{kBody, narrow(torque)}));
      } else {
        step(world, {}, serial);
      }
      most = std::max(most, turning_energy(world));
    }
    // Allows for the rounding errors of 6,000 ticks. Free rotation conserves the energy.
    constexpr double kTolerance = 1e-9;
    EXPECT_LT(most, 0.5 * kHeavy * 100 * 100 * (1 + kTolerance));
    EXPECT_GT(most, 100);  // the torque has an effect
  }
}

TEST(CommandLimits, AnImpulseAndASpawnEndAtTheLargestSpeed) {
  World world = joined(lone());
  EXPECT_TRUE(push(world, command::Impulse{kBody, {0, 0, -kAbsurd}}));
  EXPECT_NEAR(world.bodies().velocity(0).z, -200, 1e-9);
  EXPECT_TRUE(push(world, command::Impulse{kBody, {0, 0, 50}}));
  EXPECT_NEAR(world.bodies().velocity(0).z, -150, 1e-9);
  EXPECT_TRUE(push(world, command::Spawn{0, {5, 0, 0}, {1e9f, 0, 0}}));
  EXPECT_NEAR(world.bodies().velocity(1).x, 200, 1e-9);
  EXPECT_TRUE(push(world, command::Spawn{0, {5, 0, 0}, {3, 4, 0}}));
  EXPECT_EQ(world.bodies().velocity(2), (Vec3{3, 4, 0}));
  EXPECT_TRUE(push(world, command::Spawn{0, {5, 0, 0}, {}, {0, 0, 0, 0}, {0, 0, 1e5f}}));
  EXPECT_NEAR(length(world.bodies().angular_velocity(3)), 100, 1e-6);
}

// The scene starts a body faster than the limits of commands. No command slows the body to them.
TEST(CommandLimits, FasterBodiesKeepTheirMotion) {
  for (const Integrator integrator : every_integrator()) {
    SCOPED_TRACE(name_of(integrator));
    Scene scene = lone();
    scene.bodies[0].velocity = {1000, 0, 0};
    scene.bodies[0].angular_velocity = {0, 500, 0};
    World world = joined(scene_for(integrator, scene));
    EXPECT_TRUE(push(world, command::Impulse{kBody, {1, 0, 0}}));
    EXPECT_TRUE(push(world, command::Thrust{kBody, {1, 0, 0}}));
    EXPECT_TRUE(push(world, command::Torque{kBody, {0, 1, 0}}));
    run(world, 60);
    EXPECT_NEAR(speed(world), 1000, 1e-6);
    EXPECT_NEAR(spin(world), 500, 1e-6);
  }
}

// Gravity and springs are not commands, so they have no limit.
TEST(CommandLimits, GravityIsNotLimited) {
  Scene scene = lone();
  scene.gravity = {0, -100, 0};
  World world = joined(scene);
  EXPECT_TRUE(push(world, command::Thrust{kBody, {0, 1, 0}}));
  run(world, 600);
  EXPECT_GT(speed(world), 900);
}

TEST(CommandLimits, AbsurdCommandsAreRefusedWhereTheSceneSaysSo) {
  Scene scene = lone({1, 1, 0.5}, 2);
  scene.command_excess = Excess::refuse;
  World world = joined(scene);
  const std::uint64_t controls = hash_controls(world);
  EXPECT_FALSE(push(world, command::Thrust{kBody, {0, 2001, 0}}));
  EXPECT_FALSE(push(world, command::Torque{kBody, {0, 0, 501}}));
  EXPECT_FALSE(push(world, command::Impulse{kBody, {401, 0, 0}}));
  EXPECT_FALSE(push(world, command::Spawn{0, {}, {201, 0, 0}}));
  EXPECT_FALSE(push(world, command::Spawn{0, {}, {}, {0, 0, 0, 0}, {0, 0, 101}}));
  EXPECT_EQ(hash_controls(world), controls);
  EXPECT_EQ(speed(world) + spin(world), 0);
  EXPECT_EQ(world.bodies().count(), 1u);
  EXPECT_TRUE(push(world, command::Thrust{kBody, {0, 2000, 0}}));
  EXPECT_FALSE(push(world, command::Thrust{kBody, {0, 2001, 0}}));
  EXPECT_EQ(world.controls().thrusts[0].force, (Vec3f{0, 2000, 0}));
  EXPECT_TRUE(push(world, command::Torque{kBody, {0, 0, 500}}));
  EXPECT_TRUE(push(world, command::Spawn{0, {}, {200, 0, 0}}));
  run(world, 600);
  EXPECT_NEAR(speed(world), 200, 1e-6);
  EXPECT_NEAR(spin(world), 100, 1e-6);
  EXPECT_FALSE(push(world, command::Impulse{kBody, {0, 10, 0}}));
  EXPECT_TRUE(push(world, command::Impulse{kBody, {0, -10, 0}}));
  EXPECT_TRUE(push(world, command::Thrust{kBody, {}}));
}

// The limits use the mass of a sleeping body, although its inverse mass is 0. A refused command
// does not wake the body.
TEST(CommandLimits, ASleepingBodyHasItsMass) {
  for (const Excess excess : {Excess::clamp, Excess::refuse}) {
    Scene scene = built_in_scene("cubes").value();
    scene.scripts.clear();
    scene.command_excess = excess;
    World world = joined(scene);
    run(world, 300);
    std::uint32_t slot = 0;
    while (!is_dynamic(prototype_of(world, slot).kind)) ++slot;
    ASSERT_EQ(world.bodies().inverse_mass(slot), 0) << "it sleeps";
    const std::uint64_t before = world.hash();
    const bool refuses = excess == Excess::refuse;
    const BodyId id = body_id(world, slot);
    EXPECT_EQ(push(world, command::Thrust{id, {kAbsurd, 0, 0}}), !refuses);
    EXPECT_EQ(world.hash() == before, refuses);
    EXPECT_EQ(push(world, command::Torque{id, {kAbsurd, 0, 0}}), !refuses);
    EXPECT_EQ(push(world, command::Impulse{id, {kAbsurd, 0, 0}}), !refuses);
    EXPECT_EQ(world.hash() == before, refuses);
  }
}

// The effect of a thrust depends only on the held command and the state.
TEST(CommandLimits, AWorldOfAnImageGoesOnTheSame) {
  for (const Integrator integrator : every_integrator()) {
    SCOPED_TRACE(name_of(integrator));
    Scene scene = scene_for(integrator, small_scene());
    World world = joined(scene);
    EXPECT_TRUE(push(world, command::Thrust{kBody, {kAbsurd, 0, kAbsurd}}));
    EXPECT_TRUE(push(world, command::Torque{kBody, {0, kAbsurd, kAbsurd}}));
    run(world, 100);
    std::vector<std::uint8_t> image;
    save_image(world, image);
    World other(scene);
    const Status restored = restore_image(other, image);
    ASSERT_TRUE(restored) << restored.error().text();
    for (int i = 0; i < 100; ++i) {
      run(world, 1);
      run(other, 1);
      ASSERT_EQ(world.hash(), other.hash()) << i;
    }
  }
}

}  // namespace
}  // namespace orrery
