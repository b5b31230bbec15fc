// Tests that trees of joints do not depend on what is solved beside them.
#include "common/physics/solve/joint_trees.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

// Adds a chain of three boxes on ball joints and a hinge, at the same place each time.
void add_chain(ContactWorld& world, std::uint32_t base, std::uint32_t box,
               std::vector<physics::Joint>& joints) {
  std::uint32_t above = base;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t slot = world.add(box, {0.6 * i + 0.3, 0.1 * i, 0}, {0, 0, 1}, {1, 2, 3});
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

// Returns the poses of all bodies that move after a second, in a world with so many equal chains.
std::vector<Pose> chains_after_a_second(std::uint32_t chains) {
  ContactWorld world(128);
  physics::Material material;
  const std::uint32_t box = world.add_box({0.25, 0.05, 0.05}, material);
  const std::uint32_t base = world.add_fixed(physics::kNoShape, {});
  std::vector<physics::Joint> joints;
  for (std::uint32_t i = 0; i < chains; ++i) add_chain(world, base, box, joints);
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

// Batches of one lane, of some lanes and of eight, alone and after each other: equal bits.
TEST(JointTrees, EqualTreesMoveWithEqualBitsInAnyBatch) {
  const std::vector<Pose> alone = chains_after_a_second(1);
  ASSERT_EQ(alone.size(), 3u);
  EXPECT_GT(length(alone[2].position - Vec3{1.5, 0.2, 0}), 0.1);
  for (const std::uint32_t chains : {2u, 7u, 8u, 9u, 17u}) {
    const std::vector<Pose> all = chains_after_a_second(chains);
    ASSERT_EQ(all.size(), 3 * chains);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], alone[i % 3]) << chains;
  }
}

TEST(JointTrees, ContainWhatFormsTrees) {
  std::vector<physics::Joint> joints(3);
  for (std::uint32_t i = 0; i < 3; ++i) joints[i].a = i, joints[i].b = (i + 1) % 3;
  physics::JointTrees trees;
  trees.set(joints);
  EXPECT_TRUE(trees.contains(0));
  EXPECT_TRUE(trees.contains(1));
  EXPECT_FALSE(trees.contains(2));
}

}  // namespace
}  // namespace orrery
