// Tests the kinematic integrators of a world against exact solutions.
#include "common/physics/motion/flight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/lab/method.h"
#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/kinematic.h"
#include "client/lab/methods/predictor.h"
#include "client/lab/methods/runge_kutta.h"
#include "client/lab/methods/velocity_verlet.h"
#include "client/lab/rotation_run.h"
#include "common/integrate/catalogue.h"
#include "common/math/elementary.h"
#include "common/physics/motion/stages.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kStiffness = 15;  // for a mass of 1
constexpr double kGravity = 2;

// Returns a point mass on a spring to the origin. Gravity acts along y, so x shows the spring
// without gravity.
Scene oscillator(Integrator integrator) {
  Scene scene;
  scene.name = "oscillator";
  scene.integrator = integrator;
  scene.gravity = {0, -kGravity, 0};
  scene.bodies.resize(1);
  scene.bodies[0].kind = BodyKind::point;
  scene.bodies[0].position = {1, 0.5, 0};
  scene.bodies[0].velocity = {0.25, -1, 0};
  TetherDef spring;
  spring.stiffness = kStiffness;
  scene.tethers.push_back(spring);
  return scene;
}

struct Point {
  double x;
  double v;
};

TEST(Kinematic, TethersAreExact) {
  Scene scene = built_in_scene("tethers:500").value();
  scene.integrator = Integrator::kinematic;
  World world(scene);
  SerialExecutor serial;
  for (int i = 0; i < 300; ++i) step(world, {}, serial);
  const long double w = std::sqrt(20.0L);
  const long double cosine = std::cos(w * 5);
  const long double sine = std::sin(w * 5);
  long double worst = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const BodyDef& def = scene.bodies[i];
    const Vec3 x = world.bodies().position(i);
    const double starts[] = {def.position.x, def.position.y, def.position.z};
    const double speeds[] = {def.velocity.x, def.velocity.y, def.velocity.z};
    const double ends[] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; ++k) {
      const long double rest = starts[k] + (k == 1 ? -9.81L / 20 : 0);
      const long double there = rest + cosine * (starts[k] - rest) + sine / w * speeds[k];
      worst = std::max(worst, std::abs(there - static_cast<long double>(ends[k])));
    }
  }
  EXPECT_LT(worst, 1e-11L);
}

// A thrust, gravity and two tethers act on one body, in steps of 0.7 periods. The result is one
// oscillation about the common equilibrium.
TEST(Kinematic, SolvesThrustGravityAndAllTethersTogether) {
  Scene scene = oscillator(Integrator::kinematic);
  scene.tick_rate = 1;
  TetherDef second = scene.tethers[0];
  second.anchor = {3, 1, -2};
  second.stiffness = 5;
  scene.tethers.push_back(second);
  World world(scene);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  const Command thrust[] = {give(1, command::Thrust{BodyId{0}, {4, 0, 1}}, 1)};
  SerialExecutor serial;
  const BodyDef start = scene.bodies[0];
  step(world, thrust, serial);
  const double ticks = static_cast<double>(world.tick().value);
  const double w = std::sqrt(20.0);
  const Vec3 rest = (1 / 20.0) * Vec3{4 + 5 * 3, 5 * 1 - kGravity, 1 - 5 * 2};
  // try_command() has already run one tick without thrust.
  const Vec3 free_rest = (1 / 20.0) * Vec3{5 * 3, 5 * 1 - kGravity, -5 * 2};
  const auto advance = [&](Vec3& x, Vec3& v, const Vec3& about) {
    const Vec3 offset = x - about;
    x = about + std::cos(w) * offset + (std::sin(w) / w) * v;
    v = std::cos(w) * v - (w * std::sin(w)) * offset;
  };
  Vec3 x = start.position;
  Vec3 v = start.velocity;
  for (int i = 1; i < static_cast<int>(ticks); ++i) advance(x, v, free_rest);
  advance(x, v, rest);
  EXPECT_LT(length(world.bodies().position(0) - x), 1e-14 * 10);
  EXPECT_LT(length(world.bodies().velocity(0) - v), 1e-13 * 10);
}

TEST(Kinematic, DragWithGravityIsExactAtAnyStep) {
  for (const double drag : {1e-9, 0.3, 40.0}) {
    Scene scene = oscillator(Integrator::kinematic);
    scene.tethers.clear();
    scene.tick_rate = 1;
    scene.bodies[0].linear_drag = drag;
    World world(scene);
    SerialExecutor serial;
    for (int i = 0; i < 10; ++i) step(world, {}, serial);
    const long double b = drag;
    const long double left = -std::expm1(-b * 10);
    const long double vx = 0.25L - 0.25L * left;
    const long double fall = -kGravity / b;
    const long double y = 0.5L + fall * 10 + (-1 - fall) * left / b;
    EXPECT_NEAR(world.bodies().velocity(0).x, static_cast<double>(vx), 1e-14);
    // The exact formula loses digits where drag is small. The position is then compared with
    // -109.5, its value without drag.
    const bool small = drag < 1e-3;
    EXPECT_NEAR(world.bodies().position(0).y, small ? -109.5 : static_cast<double>(y),
                small ? 1e-6 : 1e-12);
  }
}

// Applies nearly the largest force to the smallest mass for the longest tick, in a scene with the
// largest limits. The speed stays within the range of an image, as in the methods that apply
// thrusts in kicks.
TEST(Kinematic, AThrustGivesAtMostTheLargestSpeed) {
  Scene scene = oscillator(Integrator::kinematic);
  scene.tethers.clear();
  scene.gravity = {};  // it would add to the commanded speed
  scene.bodies[0].mass = limits::kMassMin;
  scene.command_limits.acceleration_max = limits::kAccelerationMax;
  scene.command_limits.speed_max = limits::kSpeedMax;
  scene.tick_time_numerator = 1000000;
  scene.tick_time_denominator = 1;
  World world(scene);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  const auto most = static_cast<float>(0.9 * limits::kForceMax);
  ASSERT_TRUE(try_command(world, give(1, command::Thrust{BodyId{0}, {most, 0, -most}})));
  SerialExecutor serial;
  for (int i = 0; i < 99; ++i) step(world, {}, serial);
  EXPECT_NEAR(length(world.bodies().velocity(0)), limits::kSpeedMax, 1);
  EXPECT_NEAR(world.bodies().velocity(0).x, -world.bodies().velocity(0).z, 1);
}

// In each tick, the springs turn by about the largest angle that sine accepts. The rounding of
// inverse masses decides on which side of this limit a spring is. A world can step every scene that
// validate() accepts.
TEST(Kinematic, EverySpringThatASceneMayHaveCanBeStepped) {
  SplitMix64 random(20261121);
  SerialExecutor serial;
  int sound = 0;
  constexpr int kScenes = 3000;
  for (int i = 0; i < kScenes; ++i) {
    Scene scene = oscillator(Integrator::kinematic);
    scene.tick_rate = 1;
    scene.bodies[0].mass = 1.5 + random.symmetric();
    const double most = elementary::kAngleMax * elementary::kAngleMax * scene.bodies[0].mass;
    scene.tethers[0].stiffness = std::nextafter(most, i % 2 == 0 ? 0 : 2 * most);
    if (!validate(scene).ok()) continue;
    ++sound;
    World world(scene);
    step(world, {}, serial);
    ASSERT_TRUE(finite(world));
  }
  EXPECT_GT(sound, kScenes / 10);
  EXPECT_LT(sound, kScenes);
}

}  // namespace
}  // namespace orrery
