// Tests that a tick depends only on the state and the commands, and that extremes stay finite.
#include "common/world/step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/backward_executor.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::uint64_t kSeeds[] = {1, 2, 3, 4, 5};

bool same_commands(const std::vector<Command>& a, const std::vector<Command>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].client != b[i].client || a[i].sequence != b[i].sequence ||
        a[i].payload.index() != b[i].payload.index()) {
      return false;
    }
  }
  return true;
}

TEST(Step, DoesNotDependOnTheExecutor) {
  SerialExecutor serial;
  BackwardExecutor three(3);
  BackwardExecutor sixteen(16);
  for (const char* spec : {"free:1000", "tethers:300", "springs:200", "playground"}) {
    World a(built_in_scene(spec).value());
    World b(built_in_scene(spec).value());
    World c(built_in_scene(spec).value());
    for (int i = 0; i < 50; ++i) {
      step(a, {}, serial);
      step(b, {}, three);
      step(c, {}, sixteen);
      ASSERT_EQ(a.hash(), b.hash()) << spec << " tick " << i;
      ASSERT_EQ(a.hash(), c.hash()) << spec << " tick " << i;
    }
  }
}

// The log keeps only the commands that changed something. A replay of these commands gives the same
// state, and applies exactly the same commands.
TEST(Step, AppliedCommandsReplayToTheSameStateAndTheSameList) {
  for (const std::uint64_t seed : kSeeds) {
    World live(small_scene());
    World replayed(small_scene());
    SerialExecutor serial;
    RandomCommands random(seed);
    std::size_t given = 0;
    std::size_t applied = 0;
    for (int tick = 0; tick < 2000; ++tick) {
      const std::vector<Command> commands = random.next(live);
      step(live, commands, serial);
      step(replayed, std::vector<Command>(live.applied()), serial);
      ASSERT_EQ(live.hash(), replayed.hash()) << "seed " << seed << " tick " << tick;
      ASSERT_TRUE(same_commands(live.applied(), replayed.applied())) << "seed " << seed;
      given += commands.size();
      applied += live.applied().size();
    }
    std::printf("seed %llu: %zu of %zu commands applied\n", static_cast<unsigned long long>(seed),
                applied, given);
    EXPECT_GT(applied, 500u);
    EXPECT_LT(applied, given);
  }
}

// A drag of f (force per speed) on mass m multiplies speed and spin by exp(-f t / m), for any step.
TEST(Step, LinearDragSlowsMovingAndTurningAlike) {
  Scene scene;
  scene.bodies.resize(1);
  scene.bodies[0].mass = 4;
  scene.bodies[0].linear_drag = 2;
  scene.bodies[0].velocity = {3, 0, 0};
  scene.bodies[0].angular_velocity = {0, 5, 0};
  World world(scene);
  SerialExecutor serial;
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  const double left = std::exp(-0.5 * 2);
  EXPECT_NEAR(world.bodies().velocity(0).x, 3 * left, 1e-14);
  EXPECT_NEAR(world.bodies().angular_velocity(0).y, 5 * left, 1e-13);
}

// Returns the scene adapted to an integrator, without the items that it refuses. For a kinematic
// integrator, tether 0 swings at most as fast as that integrator allows.
Scene extreme_for(Integrator integrator, const Scene& scene) {
  Scene sound = scene_for(integrator, scene);
  if (!is_kinematic(integrator)) return sound;
  const bool exact = integrator == Integrator::kinematic;
  const double angle = physics::flight_angle_max(exact ? physics::FlightPosition::exact
                                                       : physics::FlightPosition::average);
  const double w = 0.99 * angle / (tick_time(sound) / sound.substeps);
  TetherDef& tether = sound.tethers[0];
  tether.stiffness = std::min(tether.stiffness, w * w * sound.bodies[tether.body].mass);
  return sound;
}

// Every method runs the scene for 2000 ticks with the largest commands and stays finite.
void expect_finite_by_every_method(Scene scene) {
  for (const Integrator integrator : every_integrator()) {
    SCOPED_TRACE(name_of(integrator));
    Scene sound = extreme_for(integrator, scene);
    sound.command_limits = {limits::kAccelerationMax, limits::kAccelerationMax, limits::kSpeedMax,
                            limits::kAngularSpeedMax};
    ASSERT_TRUE(validate(sound).ok());
    World world(sound);
    SerialExecutor serial;
    ASSERT_TRUE(try_command(world, join(1, Role::admin)));
    const auto most = static_cast<float>(limits::kForceMax);
    const Command commands[] = {
        give(1, command::Thrust{BodyId{kFreeBox}, {most, most, most}}, 1),
        give(1, command::Torque{BodyId{kFreeBox}, {most, most, most}}, 2),
        give(1, command::Impulse{BodyId{kPoint}, {most, -most, most}}, 3),
        give(1, command::Grab{BodyId{kOwned}, {1e12f, 0, 0}, {-1e12f, 1e12f, 0}}, 4),
    };
    step(world, commands, serial);
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(finite(world)) << "tick " << i;
      step(world, {}, serial);
    }
  }
}

// Uses the smallest masses and inertias and the largest other numbers that a scene and commands may
// contain.
TEST(Step, ExtremesStayFinite) {
  Scene scene = small_scene();
  scene.gravitational_constant = limits::kCoefficientMax;
  scene.gravity = {limits::kAccelerationMax, -limits::kAccelerationMax, 0};
  scene.grab_acceleration_max = limits::kAccelerationMax;
  scene.grab_frequency = 1e6;
  for (BodyDef& body : scene.bodies) {
    body.position = {1e-6 * body.position.x, 0, 0};
    body.mass = limits::kMassMin;
    body.inertia = {limits::kInertiaMin, 1e12 * limits::kInertiaMin, limits::kInertiaMin};
    body.velocity = {limits::kSpeedMax, 0, -limits::kSpeedMax};
    body.angular_velocity = {limits::kAngularSpeedMax, -limits::kAngularSpeedMax, 1};
    body.quadratic_drag = limits::kCoefficientMax;
    body.linear_drag = limits::kCoefficientMax;
  }
  scene.bodies[kOwned].mass = limits::kMassMax;
  scene.bodies[kAnchor].mass = limits::kMassMax;
  scene.bodies[kGuarded].position = {limits::kLengthMax, limits::kLengthMax, 0};
  scene.springs[0].stiffness = limits::kCoefficientMax;
  scene.springs[0].damping = limits::kCoefficientMax;
  scene.springs[0].at_a = {limits::kLengthMax, 0, 0};
  scene.tethers[0].stiffness = limits::kCoefficientMax;
  expect_finite_by_every_method(scene);
}

// Uses the longest ticks, and gravity so strong that bodies exceed kSpeedMax. Drifts do not limit
// the speed that uniform gravity adds.
TEST(Step, ExtremesOfTimeAndGravityStayFinite) {
  Scene scene = small_scene();
  scene.tick_time_numerator = static_cast<std::uint64_t>(limits::kTickTimeMax);
  scene.tick_time_denominator = 1;
  scene.gravity = {limits::kAccelerationMax, -limits::kAccelerationMax, 0};
  for (BodyDef& body : scene.bodies) {
    body.gravity_scale = 1e6;
    body.angular_velocity = {limits::kAngularSpeedMax, -limits::kAngularSpeedMax, 1};
    body.inertia = {limits::kInertiaMax, 1e-12 * limits::kInertiaMax, limits::kInertiaMax};
  }
  scene.springs[0].damping = limits::kCoefficientMax;
  scene.tethers[0].damping = limits::kCoefficientMax;
  expect_finite_by_every_method(scene);
  for (BodyDef& body : scene.bodies) body.linear_drag = 0;
  expect_finite_by_every_method(scene);
}

}  // namespace
}  // namespace orrery
