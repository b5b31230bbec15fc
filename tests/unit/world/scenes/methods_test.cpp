// Tests the names of methods, and the messages for refused ones.
#include "common/world/scenes/methods.h"

#include <gtest/gtest.h>

#include <string>

#include "common/integrate/catalogue.h"
#include "common/world/scenes/scene.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

// Returns a point mass on a spring to the origin.
Scene oscillator(Integrator integrator) {
  Scene scene;
  scene.name = "oscillator";
  scene.integrator = integrator;
  scene.bodies.resize(1);
  scene.bodies[0].kind = BodyKind::point;
  TetherDef spring;
  spring.stiffness = 15;
  scene.tethers.push_back(spring);
  return scene;
}

TEST(Methods, NamesLeadBackToTheirMethods) {
  for (const Integrator integrator : every_integrator()) {
    EXPECT_EQ(find_integrator(name_of(integrator)).value(), integrator);
  }
  for (std::size_t i = 0; i < physics::kRotations; ++i) {
    const auto rotation = static_cast<physics::Rotation>(i);
    EXPECT_EQ(find_rotation(name_of(rotation)).value(), rotation);
  }
}

TEST(Methods, EveryOtherMethodOfTheLaboratoryIsRefusedWithTheNearest) {
  for (const integrate::Method& method : integrate::kMethods) {
    const Result<Integrator> found = find_integrator(method.name);
    if (found) continue;
    const std::string& message = found.error().text();
    const std::size_t at = message.rfind(' ');
    EXPECT_NE(message.find("is lab only"), std::string::npos) << message;
    EXPECT_TRUE(find_integrator(message.substr(at + 1)).ok()) << message;
  }
  for (const integrate::RotationMethod& method : integrate::kRotationMethods) {
    const Result<physics::Rotation> found = find_rotation(method.name);
    if (found) continue;
    const std::string& message = found.error().text();
    EXPECT_NE(message.find("is lab only"), std::string::npos) << message;
    EXPECT_TRUE(find_rotation(message.substr(message.rfind(' ') + 1)).ok()) << message;
  }
  EXPECT_EQ(find_integrator("beeman").error().text(),
            "integrator beeman is lab only; the nearest of a world is velocity-verlet");
}

TEST(Methods, AMisspeltNameIsAnsweredWithTheNearest) {
  EXPECT_NE(find_integrator("velocity_verlet").error().text().find("velocity-verlet"),
            std::string::npos);
  EXPECT_EQ(find_rotation("caylei").error().text().find(
                "rotation: unknown method \"caylei\"; did you mean cayley"),
            0u);
  const std::string hostile = find_integrator("\x1b[2J\n").error().text();
  EXPECT_EQ(hostile.find('\x1b'), std::string::npos);
  EXPECT_EQ(hostile.find('\n'), std::string::npos);
}

void expect_refused(const Scene& scene, const std::string& message) {
  const Status status = validate(scene);
  ASSERT_FALSE(status.ok()) << message;
  EXPECT_EQ(status.error().text(), message);
}

TEST(Methods, WhatMakesNoSenseTogetherIsRefusedWithTheReason) {
  const std::string reason =
      " would gain energy in the parts of a step that go back in time; leapfrog-dkd has none";
  Scene scene = oscillator(Integrator::pefrl);
  EXPECT_TRUE(validate(scene).ok());
  scene.tethers[0].damping = 1;
  expect_refused(scene, "integrator pefrl and damping: tether 0" + reason);
  scene = oscillator(Integrator::yoshida4);
  scene.bodies[0].quadratic_drag = 1;
  expect_refused(scene, "integrator yoshida4 and drag: body 0" + reason);
  scene = oscillator(Integrator::yoshida4);
  scene.rotation = physics::Rotation::implicit_gyro;
  expect_refused(scene,
                 "integrator yoshida4 runs parts of a step back in time, which only the rotations "
                 "cayley and dropped can do");
  scene = oscillator(Integrator::kinematic_average);
  scene.tethers[0].stiffness = 60 * 60 * 3.2 * 3.2;
  expect_refused(
      scene,
      "integrator kinematic-average and tethers: the tethers of body 0 swing more than half "
      "a period in a substep, which diverges; kinematic does not");
  scene.integrator = Integrator::kinematic;
  EXPECT_TRUE(validate(scene).ok());
  scene.tethers[0].stiffness = 1e18;
  EXPECT_FALSE(validate(scene).ok());
}

TEST(Methods, WhatTheyNeverSeeIsNotRefused) {
  Scene scene = oscillator(Integrator::kinematic_average);
  scene.tethers[0].stiffness = 1e18;
  EXPECT_FALSE(validate(scene).ok());
  // The exact solution leaves out a damped tether, which acts with the other forces instead. Its
  // stiffness therefore has no limit. The same is true of the next two cases.
  scene.tethers[0].damping = 1;
  EXPECT_TRUE(validate(scene).ok());
  scene.tethers[0].damping = 0;
  scene.tethers[0].rest_length = 1;
  EXPECT_TRUE(validate(scene).ok());
  scene.tethers[0].rest_length = 0;
  scene.tethers[0].at = {1, 0, 0};
  EXPECT_TRUE(validate(scene).ok());
  scene.tethers[0].at = {};
  scene.bodies[0].kind = BodyKind::anchor;
  EXPECT_TRUE(validate(scene).ok());
  scene.integrator = Integrator::pefrl;
  scene.bodies[0].linear_drag = 1;
  EXPECT_TRUE(validate(scene).ok());
}

}  // namespace
}  // namespace orrery
