// Tests the numbers that the delta codec takes from a scene.
#include "common/codec/delta/delta_scene.h"

#include <gtest/gtest.h>

#include "common/core/limits.h"

namespace orrery::codec {
namespace {

Scene scene_of(double half_extent, double farthest) {
  Scene scene;
  scene.gravity = {0, -10, 0};
  scene.spare_bodies = 3;
  BodyDef body;
  body.half_extents = {half_extent, 2 * half_extent, 3 * half_extent};
  scene.bodies.push_back(body);
  body.kind = BodyKind::anchor;
  body.half_extents = {1e-4, 1e-4, 1e-4};  // it does not move, so its size does not count
  body.position = {0, 0, -farthest};
  scene.bodies.push_back(body);
  return scene;
}

TEST(DeltaScene, TheStepFollowsTheSmallestBodyThatMoves) {
  EXPECT_EQ(delta_scene_of(scene_of(0.5, 10)).grid.position_step, 1.0 / 128);
  EXPECT_EQ(delta_scene_of(scene_of(0.2, 10)).grid.position_step, 1.0 / 512);
  EXPECT_EQ(delta_scene_of(scene_of(1000, 10)).grid.position_step, 8);
}

TEST(DeltaScene, TheGridHasRoomAroundTheFarthestBody) {
  const DeltaScene scene = delta_scene_of(scene_of(0.5, 1e9));
  EXPECT_GE(scene.grid.position_step * kGridPositionMax, 4e9);
  EXPECT_LE(scene.grid.position_step * kGridPositionMax, 8e9);
}

TEST(DeltaScene, ASceneMayStateItsGrid) {
  Scene scene = scene_of(0.5, 10);
  scene.snapshot_orientation_bits = 12;
  EXPECT_EQ(delta_scene_of(scene).grid.position_step, 1.0 / 128);
  EXPECT_EQ(delta_scene_of(scene).grid.orientation_bits, 12u);
  scene.snapshot_position_step = 0.01;
  EXPECT_EQ(delta_scene_of(scene).grid.position_step, 0.01);
  EXPECT_EQ(delta_scene_of(scene).grid.orientation_bits, 12u);
}

TEST(DeltaScene, NumbersAreInStepsAndTicks) {
  const Scene bodies = scene_of(0.5, 10);
  const DeltaScene scene = delta_scene_of(bodies);
  EXPECT_EQ(scene.slots, 5u);
  EXPECT_EQ(scene.prototypes, 2u);
  EXPECT_EQ(radius_of(bodies.bodies[0], scene.grid), 64);
  EXPECT_EQ(radius_of(bodies.bodies[1], scene.grid), 1);  // a radius is at least one step
  EXPECT_NEAR(scene.gravity.y, -10.0 * 128 / 3600, 1e-12);
}

TEST(DeltaScene, StrongGravityIsBoundedByTheGrid) {
  Scene scene = scene_of(0.5, 10);
  scene.gravity = {0, -limits::kAccelerationMax, limits::kAccelerationMax};
  scene.snapshot_position_step = 1e-9;
  const Vec3 gravity = delta_scene_of(scene).gravity;
  EXPECT_EQ(gravity.x, 0);
  EXPECT_EQ(gravity.y, -double{kGridPositionMax});
  EXPECT_EQ(gravity.z, double{kGridPositionMax});
}

}  // namespace
}  // namespace orrery::codec
