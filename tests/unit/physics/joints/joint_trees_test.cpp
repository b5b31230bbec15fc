// Tests that a tree of joints does not depend on the other trees that are solved with it.
#include "common/physics/joints/joint_trees.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

// Adds a chain of three boxes on ball joints and a hinge. All chains begin at the same place, but
// the initial spin of a chain depends on `number`.
void add_chain(ContactWorld& world, std::uint32_t base, std::uint32_t box, std::uint32_t number,
               std::vector<physics::Joint>& joints) {
  std::uint32_t above = base;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t slot =
        world.add(box, {0.6 * i + 0.3, 0.1 * i, 0}, {0, 0, 1}, {1, 2, 1.0 * number});
    const Quat to_body = conjugate(world.bodies.orientation(slot));
    physics::Joint joint;
    joint.kind = i == 1 ? physics::JointKind::hinge : physics::JointKind::ball;
    joint.a = above;
    joint.b = slot;
    joint.a_moves = i > 0;
    joint.at_a.position = i == 0 ? Vec3{} : rotate(to_body, {0.3, 0, 0});
    joint.at_b.position = rotate(to_body, {-0.3, 0, 0});
    joints.push_back(joint);
    above = slot;
  }
}

// Simulates a world for a second, with `chains` chains numbered from `first` on. Returns the poses
// of all boxes.
std::vector<Pose> chains_after_a_second(std::uint32_t first, std::uint32_t chains) {
  ContactWorld world(128);
  physics::Material material;
  const std::uint32_t box = world.add_box({0.25, 0.05, 0.05}, material);
  const std::uint32_t base = world.add_fixed(physics::kNoShape, {});
  std::vector<physics::Joint> joints;
  for (std::uint32_t i = 0; i < chains; ++i) add_chain(world, base, box, first + i, joints);
  // Without shapes nothing touches, although the chains are at the same place.
  world.shape_of.assign(world.shape_of.size(), physics::kNoShape);
  world.solver.set_joints(joints);
  world.step(60);
  std::vector<Pose> poses;
  for (std::uint32_t slot = base + 1; slot < world.bodies.slots(); ++slot) {
    poses.push_back({world.bodies.position(slot), world.bodies.orientation(slot)});
  }
  return poses;
}

// Trees are solved in batches of up to eight lanes. A tree moves with the same bits in a batch by
// itself, in a batch with other trees, and in a world with several batches.
TEST(JointTrees, TreesMoveWithEqualBitsInAnyBatch) {
  constexpr std::uint32_t kMost = 17;
  std::vector<Pose> alone;
  for (std::uint32_t i = 0; i < kMost; ++i) {
    for (const Pose& pose : chains_after_a_second(i, 1)) alone.push_back(pose);
  }
  ASSERT_EQ(alone.size(), 3 * kMost);
  EXPECT_GT(length(alone[2].position - Vec3{1.5, 0.2, 0}), 0.1);
  EXPECT_GT(length(alone[5].position - alone[2].position), 0.01);
  for (const std::uint32_t chains : {2u, 7u, 8u, 9u, kMost}) {
    const std::vector<Pose> all = chains_after_a_second(0, chains);
    ASSERT_EQ(all.size(), 3 * chains);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], alone[i]) << chains;
  }
}

TEST(JointTrees, ContainWhatFormsTrees) {
  std::vector<physics::Joint> joints(4);
  for (std::uint32_t i = 0; i < 4; ++i) joints[i].a = i, joints[i].b = (i + 1) % 3;
  joints[3].kind = physics::JointKind::distance;
  joints[3].limited = true;
  physics::JointTrees trees;
  trees.set(joints);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(trees.contains(i));
  EXPECT_FALSE(trees.contains(3));
}

}  // namespace
}  // namespace orrery
