// Tests that the index holds every body with a shape once, in a box around all of its parts.
#include "common/physics/body/body_index.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "common/physics/shape/tree_walk.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

constexpr double kMargin = 0.1;

// Returns the slots of a tree. The boxes do not matter.
std::multiset<std::uint32_t> slots_of(const physics::SpatialTree& tree) {
  std::multiset<std::uint32_t> slots;
  physics::walk(
      tree, [](const physics::Aabb&) { return true; },
      [&](std::uint32_t slot) { slots.insert(slot); });
  return slots;
}

TEST(BodyIndex, HoldsEachBodyWithAShapeOnce) {
  const test::CollidingBodies group = test::random_colliding_bodies(300, 20, 0x1DE7);
  test::BackwardExecutor executor(3);
  physics::BodyIndex index(group.bodies.capacity());
  index.update(group.shaped(), {kMargin}, executor);
  std::multiset<std::uint32_t> moving, fixed;
  for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
    if (!group.bodies.alive(slot) || !group.shaped().has_shape(slot)) continue;
    (group.bodies.inverse_mass(slot) > 0 ? moving : fixed).insert(slot);
  }
  EXPECT_EQ(slots_of(index.moving_tree()), moving);
  EXPECT_EQ(slots_of(index.fixed_tree()), fixed);
  EXPECT_TRUE(index.unbounded().empty());
  EXPECT_FALSE(index.any_kinematic());
}

// Checks the bounds of boxes against their corners in world axes.
TEST(BodyIndex, BoundsTheCornersOfBoxes) {
  const test::CollidingBodies group = test::random_colliding_bodies(300, 20, 0xB0CE5);
  SerialExecutor executor;
  physics::BodyIndex index(group.bodies.capacity());
  index.update(group.shaped(), {kMargin}, executor);
  int boxes = 0;
  for (const physics::Proxy& proxy : index.moving()) {
    if (group.shape_of[proxy.slot] != group.box) continue;
    const physics::Aabb& box = index.box_of_moving(proxy.slot);
    const Vec3 h = test::kBoxHalfExtents;
    physics::Aabb corners{group.bodies.position(proxy.slot), group.bodies.position(proxy.slot)};
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 at =
          transform(group.pose(proxy.slot),
                    {corner & 1 ? h.x : -h.x, corner & 2 ? h.y : -h.y, corner & 4 ? h.z : -h.z});
      corners = physics::united(corners, {at, at});
    }
    const physics::Aabb grown = physics::enlarged(corners, kMargin / 2);
    EXPECT_NEAR(length(box.lower - grown.lower) + length(box.upper - grown.upper), 0, 1e-12);
    ++boxes;
  }
  EXPECT_GT(boxes, 20);
}

TEST(BodyIndex, KeepsFixedBodiesUntilTheyChange) {
  test::CollidingBodies group(64);
  group.add(group.ball, {0, 0, 0}, false);
  SerialExecutor executor;
  physics::BodyIndex index(group.bodies.capacity());
  index.update(group.shaped(), {kMargin}, executor);
  group.add(group.ball, {5, 0, 0}, false);
  index.update(group.shaped(), {kMargin}, executor);
  EXPECT_EQ(slots_of(index.fixed_tree()).size(), 1u);
  index.bodies_changed();
  index.update(group.shaped(), {kMargin}, executor);
  EXPECT_EQ(slots_of(index.fixed_tree()).size(), 2u);
}

// The half space of a plane is everything below the plane. A box may touch it if and only if the
// lowest corner of the box is below the plane.
TEST(BodyIndex, ListsPlanesAsHalfSpaces) {
  test::CollidingBodies group(64);
  SplitMix64 random(0x91A4E);
  const std::uint32_t slot = group.add(group.plane, {1, 2, 3}, false);
  group.bodies.set_orientation(slot, test::draw_orientation(random));
  SerialExecutor executor;
  physics::BodyIndex index(group.bodies.capacity());
  index.update(group.shaped(), {}, executor);
  ASSERT_EQ(index.unbounded().size(), 1u);
  const physics::UnboundedBody& plane = index.unbounded()[0];
  EXPECT_TRUE(plane.half_space);
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 lower = test::draw(random, 5);
    const physics::Aabb box{lower, lower + Vec3{0.5, 1, 0.2}};
    double lowest = 1e300;  // height of the lowest corner above the plane
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 at{corner & 1 ? box.upper.x : lower.x, corner & 2 ? box.upper.y : lower.y,
                    corner & 4 ? box.upper.z : lower.z};
      const Pose pose = group.pose(slot);
      lowest = std::min(lowest, rotate_back(pose.orientation, at - pose.position).y);
    }
    if (lowest > -1e-9 && lowest < 1e-9) continue;
    EXPECT_EQ(physics::may_touch(plane, box), lowest < 0) << i;
    touching += lowest < 0;
  }
  EXPECT_GT(touching, 100);
}

}  // namespace
}  // namespace orrery
