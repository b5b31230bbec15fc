// Tests of the fault injector: it changes a state as no command can.
#include "common/world/fault_injector.h"

#include <gtest/gtest.h>

#include "common/world/image/state_hash.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using physics::BodyField;

TEST(FaultInjector, GivesTheChangedStateItsHash) {
  World world(test::small_scene());
  const std::uint64_t before = world.hash();
  SerialExecutor serial;
  FaultInjector injector(world);
  injector.state().bodies.set(BodyField::velocity_x, test::kFreeBox, 0.25);
  EXPECT_EQ(world.hash(), before);
  injector.update_hash(serial);
  EXPECT_NE(world.hash(), before);
  EXPECT_EQ(world.hash(), state_hash(world, serial));
}

TEST(FaultInjector, ExchangesStatesThereAndBack) {
  World world(test::small_scene());
  World whole(test::small_scene());
  FaultInjector injector(world);
  injector.exchange(0, 1);
  EXPECT_EQ(world.bodies().position(0), whole.bodies().position(1));
  EXPECT_EQ(world.bodies().position(1), whole.bodies().position(0));
  injector.exchange(0, 1);
  SerialExecutor serial;
  EXPECT_EQ(state_hash(world, serial), whole.hash());
}

TEST(FaultInjector, SettlesWithTheResultsOfTheTick) {
  World world(test::small_scene());
  ASSERT_TRUE(test::try_command(world, test::join(1, Role::play)));
  FaultInjector injector(world);
  injector.state().bodies.set(BodyField::velocity_x, test::kFreeBox, 0.25);
  ASSERT_TRUE(injector.settle());
  EXPECT_EQ(world.applied().size(), 1u);
  SerialExecutor serial;
  EXPECT_EQ(world.hash(), state_hash(world, serial));
}

TEST(FaultInjector, DoesNotSettleAnAnchorThatMoves) {
  World world(test::small_scene());
  FaultInjector injector(world);
  injector.state().bodies.set(BodyField::velocity_x, test::kAnchor, 1);
  EXPECT_FALSE(injector.settle());
  EXPECT_EQ(world.bodies().velocity(test::kAnchor), (Vec3{1, 0, 0}));
}

}  // namespace
}  // namespace orrery
