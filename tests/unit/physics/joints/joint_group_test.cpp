// Tests that groups of joints do not depend on each other.
#include "common/physics/joints/joint_group.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr physics::Substep kStep{1.0 / 240, {0, -10, 0}};

// Two pairs of boxes. The boxes of a pair are on a hinge with a motor: bodies 0 and 1, 2 and 3.
struct Pairs {
  Pairs() : world(64), memory(64), impulses(2 * kRows, 0) {
    const std::uint32_t box = world.add_box({0.3, 0.2, 0.1});
    for (std::uint32_t i = 0; i < 4; ++i) {
      world.add(box, {1.0 * i, 0, 0}, {1, 2.0 * i, -1}, {0.5, -1.0 * i, 2});
      memory.used().set(i);
    }
    physics::load_poses(world.bodies, memory.rows(), 0, 1);
    contacts.assign(64, 0);
  }
  static physics::Joint hinge(std::uint32_t pair) {
    physics::Joint joint;
    joint.kind = physics::JointKind::hinge;
    joint.a = 2 * pair;
    joint.b = 2 * pair + 1;
    joint.at_a.position = {0.5, 0, 0};
    joint.at_b.position = {-0.5, 0, 0};
    joint.motor_speed = 3;
    joint.motor_max = 2;
    return joint;
  }
  // Runs the passes of two substeps over groups with these pairs.
  void run(const std::vector<std::vector<std::uint32_t>>& pairs) {
    std::vector<physics::JointGroup> groups(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (const std::uint32_t pair : pairs[i]) groups[i].add(hinge(pair), pair, kRows * pair);
      groups[i].arrange();
      groups[i].begin_tick(contacts, flags);
    }
    for (int substep = 0; substep < 2; ++substep) {
      for (auto& group : groups) group.solve(world.bodies, memory.rows(), impulses, kStep);
      for (auto& group : groups) group.relax(world.bodies, memory.rows(), impulses, kStep);
    }
  }
  std::array<double, 6> motion(std::uint32_t slot) const {
    std::array<double, 6> copy;
    std::copy_n(memory.rows().motion[slot].at, 6, copy.begin());
    return copy;
  }

  static constexpr std::uint32_t kRows = 6;  // of a hinge with a motor
  ContactWorld world;
  mutable physics::BodyRowMemory memory;
  std::vector<double> impulses;
  std::vector<std::uint32_t> contacts;
  std::array<std::uint8_t, 2> flags = {physics::kJointFree, physics::kJointFree};
};

TEST(JointGroup, HasTheBitsOfOneThatHasAllJoints) {
  const physics::Joint joint = Pairs::hinge(0);
  ASSERT_EQ(hold_rows(joint) + coordinate_rows(joint), Pairs::kRows);
  Pairs together, apart, reversed;
  together.run({{0, 1}});
  apart.run({{0}, {1}});
  reversed.run({{1}, {0}});
  EXPECT_NE(together.impulses[5], 0);
  EXPECT_NE(together.motion(0), Pairs().motion(0));
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(apart.motion(slot), together.motion(slot)) << slot;
    EXPECT_EQ(reversed.motion(slot), together.motion(slot)) << slot;
  }
  EXPECT_EQ(apart.impulses, together.impulses);
  EXPECT_EQ(reversed.impulses, together.impulses);
}

TEST(JointGroup, LeavesOtherBodiesAndImpulsesAlone) {
  Pairs pairs;
  const Pairs before;
  pairs.run({{1}});
  for (const std::uint32_t slot : {0u, 1u}) EXPECT_EQ(pairs.motion(slot), before.motion(slot));
  for (const std::uint32_t slot : {2u, 3u}) EXPECT_NE(pairs.motion(slot), before.motion(slot));
  for (std::uint32_t row = 0; row < Pairs::kRows; ++row) EXPECT_EQ(pairs.impulses[row], 0);
  EXPECT_NE(pairs.impulses[11], 0);
}

}  // namespace
}  // namespace orrery
