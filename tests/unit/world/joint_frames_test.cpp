// Tests the frames of joints: angles are measured about the axis in the scene, however the bodies
// are turned.
#include "common/world/joint_frames.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/core/hash.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

// Returns a rod on a hinge about z at its end. The scene has no shapes.
Scene rod_scene() {
  Scene scene;
  scene.gravity = {0, -9.81, 0};
  scene.integrator = Integrator::semi_implicit_euler;
  scene.substeps = 8;
  scene.bodies.push_back(solid_box(1, {0.1, 0.1, 0.1}, {0, 3, 0}));
  scene.bodies[0].kind = BodyKind::anchor;
  scene.bodies.push_back(solid_box(2, {0.5, 0.1, 0.1}, {0.5, 3, 0}));
  JointDef hinge;
  hinge.kind = physics::JointKind::hinge;
  hinge.b = 1;
  hinge.at_b = {-0.5, 0, 0};
  hinge.axis = {0, 0, 2};
  scene.joints.push_back(hinge);
  return scene;
}

// The angle of a hinge is 0 at the orientations in the scene. The scene gives the axis of the hinge
// in the coordinates of body a.
TEST(JointTick, LimitsAndMotorsOfAHingeAreAboutItsAxis) {
  for (const Quat& turned : {Quat{}, normalized({0.3, -0.5, 0.2, 1}), Quat{0, 1, 0, 0}}) {
    Scene scene = rod_scene();
    scene.gravity = {};
    scene.bodies[0].orientation = turned;
    JointDef& hinge = scene.joints[0];
    hinge.axis = rotate_back(turned, {0, 0, 1});
    hinge.motor_max = 100;
    hinge.motor_speed = 2;
    World free(scene);
    run(free, 60);
    EXPECT_LT(length(free.bodies().angular_velocity(1) - Vec3{0, 0, 2}), 1e-3);
    scene.joints[0].limited = true;
    scene.joints[0].lower = -0.2;
    scene.joints[0].upper = 0.7;
    World limited(scene);
    run(limited, 120);
    const Vec3 along = limited.bodies().position(1) - Vec3{0, 3, 0};
    EXPECT_NEAR(std::atan2(along.y, along.x), 0.7, 0.01);
  }
}

// Returns a fixed body 0 and a body 1 joined to it. Nothing else acts on them.
Scene joined_pair(const JointDef& joint, std::uint32_t (*add)(Scene&), const Vec3& at) {
  Scene scene;
  scene.name = "pair";
  use_contacts(scene);
  scene.gravity = {};
  BodyDef fixed = shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {});
  fixed.kind = BodyKind::anchor;
  scene.bodies.push_back(fixed);
  scene.bodies.push_back(shaped_body(scene, add(scene), at));
  scene.joints.push_back(joint);
  scene.joints[0].b = 1;
  return scene;
}

std::uint32_t add_ball(Scene& scene) { return add_ball_shape(scene, 0.1); }

// The spring bends a straight ball joint to the rest angle, for any direction of its axis.
TEST(JointTick, ASpringBendsABallJointThatIsStraight) {
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 1, 1}}) {
    JointDef ball;
    ball.kind = physics::JointKind::ball;
    ball.axis = axis;
    ball.frequency = 1;
    ball.rest = 0.5;
    World world(joined_pair(ball, add_ball, {}));
    run(world, 600);
    const Vec3 unit = (1 / length(axis)) * axis;
    const Vec3 bent = rotate(world.bodies().orientation(1), unit);
    EXPECT_NEAR(std::acos(dot(bent, unit)), 0.5, 1e-4) << axis.x << axis.y << axis.z;
  }
}

}  // namespace
}  // namespace orrery
