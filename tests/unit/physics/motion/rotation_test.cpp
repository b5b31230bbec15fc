// Tests the rotation methods of a world against the laboratory, and that they stay finite.
#include "common/physics/motion/rotation.h"

#include <gtest/gtest.h>

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

Scene tumbling(physics::Rotation rotation) {
  Scene scene;
  scene.name = "tumbling";
  scene.rotation = rotation;
  scene.bodies.resize(1);
  scene.bodies[0].inertia = {1, 2, 3};
  scene.bodies[0].angular_velocity = {0.01, 5, 0.01};
  return scene;
}

TEST(WorldRotations, DoWhatTheLaboratoryDoes) {
  for (std::size_t i = 0; i < physics::kRotations; ++i) {
    const auto rotation = static_cast<physics::Rotation>(i);
    SCOPED_TRACE(name_of(rotation));
    World world(tumbling(rotation));
    SerialExecutor serial;
    const lab::Triple<double> inertia{1, 2, 3};
    auto state = lab::spinning<double>(inertia, {0.01, 5, 0.01});
    const auto rotator = lab::make_rotator<double>(name_of(rotation));
    const double h = 1.0 / 60;
    rotator->start(state, inertia, h);
    for (int tick = 0; tick < 400; ++tick) {
      step(world, {}, serial);
      rotator->step(state, inertia, h);
    }
    const Vec3 l = world.bodies().angular_momentum(0);
    const Quat q = world.bodies().orientation(0);
    EXPECT_LT(length(l - Vec3{state.l[0], state.l[1], state.l[2]}), 1e-11);
    EXPECT_NEAR(q.x, state.q[0], 1e-11);
    EXPECT_NEAR(q.w, state.q[3], 1e-11);
  }
}

TEST(WorldRotations, AllStayFinite) {
  for (std::size_t i = 0; i < physics::kRotations; ++i) {
    Scene scene = tumbling(static_cast<physics::Rotation>(i));
    SCOPED_TRACE(name_of(scene.rotation));
    scene.bodies[0].angular_velocity = {1e6, -1e6, 1e6};
    scene.bodies[0].inertia = {1e24, 1e12, 1e18};
    scene.tick_time_numerator = 1000000;
    scene.tick_time_denominator = 1;
    ASSERT_TRUE(validate(scene).ok());
    World world(scene);
    SerialExecutor serial;
    for (int tick = 0; tick < 200; ++tick) step(world, {}, serial);
    EXPECT_TRUE(finite(world));
  }
}

}  // namespace
}  // namespace orrery
