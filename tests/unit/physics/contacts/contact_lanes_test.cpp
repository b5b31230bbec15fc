// Tests contacts that find no free colour.
#include "common/physics/contacts/contact_lanes.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "common/physics/contacts/contact_set.h"
#include "tests/unit/physics/contact_world.h"
#include "tests/unit/physics/contacts/copied_contacts.h"

namespace orrery {
namespace {

// Adds a slab with 12 x 12 bodies on it: more contacts than there are colours.
void add_laden_slab(ContactWorld& world) {
  world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  world.add(world.add_box({3, 0.2, 3}), {0, 0.2, 0});
  const std::uint32_t shapes[] = {world.add_ball(0.2), world.add_box({0.15, 0.2, 0.15})};
  for (std::uint32_t i = 0; i < 144; ++i) {
    world.add(shapes[i % 2], {0.45 * (i % 12) - 2.475, 0.7, 0.45 * (i / 12) - 2.475});
  }
}

TEST(ContactSet, SolvesContactsThatFindNoColourOneByOneWithTheSameBits) {
  ContactWorld world(256), other(256);
  add_laden_slab(world);
  add_laden_slab(other);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  for (int tick = 0; tick < 120; ++tick) {
    if (tick % 20 == 10) copy_state(world, other);
    world.step(serial);
    other.step(backward);
    ASSERT_EQ(other.hash(), world.hash()) << "at " << tick;
  }
  EXPECT_GT(world.solver.contacts().overflow().size(), 50u);
  for (std::uint32_t slot = 2; slot < world.bodies.slots(); ++slot) {
    EXPECT_NEAR(world.bodies.position(slot).y, 0.6, 0.01) << slot;
  }
  const std::uint64_t expected = world.hash();
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ContactWorld again(256);
    add_laden_slab(again);
    again.step(120);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(again.hash(), expected) << hwy::TargetName(rest & -rest);
  }
}

}  // namespace
}  // namespace orrery
