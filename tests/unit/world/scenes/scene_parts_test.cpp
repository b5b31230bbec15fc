// Tests the parts of built-in scenes against closed forms of mass and inertia.
#include "common/world/scenes/scene_parts.h"

#include <gtest/gtest.h>

#include <numbers>

namespace orrery {
namespace {

constexpr double kDensity = 1000;  // density of every shape that sets no other one

// A box of half extents (a, b, c) has the mass m = 8 abc times the density. Its moment about x is
// m (b^2 + c^2) / 3; the others follow by exchange.
TEST(SceneParts, ABoxHasTheMassAndInertiaOfABox) {
  Scene scene;
  const Vec3 half{0.5, 0.25, 1};
  const BodyDef body = shaped_body(scene, add_box_shape(scene, half), {1, 2, 3});
  const double mass = kDensity * 8 * half.x * half.y * half.z;
  EXPECT_DOUBLE_EQ(body.mass, mass);
  EXPECT_DOUBLE_EQ(body.inertia.x, mass * (0.0625 + 1) / 3);
  EXPECT_DOUBLE_EQ(body.inertia.y, mass * (0.25 + 1) / 3);
  EXPECT_DOUBLE_EQ(body.inertia.z, mass * (0.25 + 0.0625) / 3);
  EXPECT_EQ(body.position, (Vec3{1, 2, 3}));
  const Vec3 solid = solid_box_inertia(body.mass, half);
  EXPECT_DOUBLE_EQ(solid.x, body.inertia.x);
  EXPECT_DOUBLE_EQ(solid.y, body.inertia.y);
  EXPECT_DOUBLE_EQ(solid.z, body.inertia.z);
}

// A ball has the mass m = 4/3 pi r^3 times the density, and the moments 2/5 m r^2.
TEST(SceneParts, ABallHasTheMassAndInertiaOfABall) {
  Scene scene;
  const BodyDef body = shaped_body(scene, add_ball_shape(scene, 0.3), {});
  const double mass = kDensity * 4 / 3 * std::numbers::pi * 0.027;
  EXPECT_NEAR(body.mass, mass, 1e-12 * mass);
  EXPECT_NEAR(body.inertia.x, 0.4 * mass * 0.09, 1e-12 * mass);
  EXPECT_NEAR(body.inertia.z, 0.4 * mass * 0.09, 1e-12 * mass);
}

// The floor and the four walls of a tray are fixed, and nobody may command them.
TEST(SceneParts, ATrayIsFixed) {
  Scene scene;
  add_tray(scene);
  ASSERT_EQ(scene.bodies.size(), 5u);
  for (const BodyDef& block : scene.bodies) {
    EXPECT_EQ(block.kind, BodyKind::anchor);
    EXPECT_EQ(block.control, Control::nobody);
  }
}

}  // namespace
}  // namespace orrery
