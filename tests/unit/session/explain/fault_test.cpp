// Tests faults: parsing, effect, and rejection of impossible ones.
#include "common/session/explain/fault.h"

#include <gtest/gtest.h>

#include "common/math/ulps.h"
#include "common/world/fault_injector.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"

namespace orrery {
namespace {

session::Fault fault_of(const std::string& text) { return session::parse_fault(text).value(); }

TEST(Fault, TextsMeanWhatTheySay) {
  for (const char* text : {"ulp@30:4.position.x", "ulp@1:4294967295.orientation.w",
                           "swap@18446744073709551615:0,7", "skip@9"}) {
    EXPECT_EQ(session::to_text(fault_of(text)), text);
  }
  const session::Fault fault = fault_of("ulp@30:4.angular_momentum.y");
  EXPECT_EQ(fault.kind, session::Fault::Kind::ulp);
  EXPECT_EQ(fault.tick.value, 30u);
  EXPECT_EQ(fault.a.value, 4u);
  EXPECT_EQ(fault.field, physics::BodyField::angular_momentum_y);
}

TEST(Fault, OtherTextsAreRefused) {
  for (const char* text : {"",
                           "ulp",
                           "ulp@",
                           "ulp@1",
                           "ulp@1:",
                           "ulp@1:2",
                           "ulp@1:2.",
                           "ulp@1:2.position",
                           "ulp@1:2.inverse_mass",
                           "ulp@-1:2.position.x",
                           "ulp@0:2.position.x",
                           "swap@1:2",
                           "swap@1:2,",
                           "swap@1:2,2",
                           "swap@1:2,3x",
                           "skip@",
                           "skip@1x",
                           "skip@0",
                           "ulp@1:2,3",
                           "skip@18446744073709551616",
                           "ulp@1:4294967296.position.x"}) {
    const Result<session::Fault> fault = session::parse_fault(text);
    EXPECT_FALSE(fault) << text;
    EXPECT_LT(fault.error().text().size(), 400u);
  }
  EXPECT_EQ(session::parse_fault("skip@1\x1b").error().text().find('\x1b'), std::string::npos);
  EXPECT_FALSE(session::parse_fault(std::string(10000, 'u')));
}

// Compares two worlds: one has the fault. In the other, the test changes the same field after the
// same tick.
TEST(Fault, ChangesThatFieldInThatTickAlone) {
  for (const char* scene : {"playground", "free:70", "chain"}) {
    World world(built_in_scene(scene).value());
    World whole(built_in_scene(scene).value());
    SerialExecutor executor;
    const session::Fault fault = fault_of("ulp@20:5.velocity.y");
    for (int i = 1; i <= 20; ++i) {
      EXPECT_EQ(world.hash(), whole.hash());
      EXPECT_TRUE(session::step_with_fault(world, {}, fault, executor));
      step(whole, {}, executor);
    }
    EXPECT_NE(world.hash(), whole.hash()) << scene;
    FaultInjector(whole).state().bodies.set(physics::BodyField::velocity_y, 5,
                                            next_above(whole.bodies().velocity(5).y));
    EXPECT_EQ(world.hash(), state_hash(whole, executor)) << scene;
  }
}

TEST(Fault, SwapsTwoBodies) {
  World world(built_in_scene("free:9").value());
  SerialExecutor executor;
  const Vec3 one = world.bodies().position(1);
  EXPECT_TRUE(session::step_with_fault(world, {}, fault_of("swap@2:1,8"), executor));
  EXPECT_TRUE(session::step_with_fault(world, {}, fault_of("swap@2:1,8"), executor));
  EXPECT_GT(length(world.bodies().position(1) - one), 2);
  EXPECT_LT(length(world.bodies().position(8) - one), 1);
}

TEST(Fault, LeavesOutTheCommandsOfATick) {
  const Scene scene = built_in_scene("playground").value();
  World world(scene);
  CommandStream commands(3);
  SerialExecutor executor;
  while (world.applied().empty()) step(world, commands.next(world), executor);
  World fresh(scene);
  World broken(scene);
  const std::vector<Command> some = world.applied();
  EXPECT_TRUE(session::step_with_fault(broken, some, fault_of("skip@1"), executor));
  EXPECT_TRUE(broken.applied().empty());
  step(fresh, {}, executor);
  EXPECT_EQ(broken.hash(), fresh.hash());
}

TEST(Fault, SaysWhatCannotBeBroken) {
  std::uint32_t anchor = 0;
  const Scene playground = built_in_scene("playground").value();
  while (playground.bodies[anchor].kind != BodyKind::anchor) ++anchor;
  const std::string fixed = std::to_string(anchor);
  const std::string texts[] = {"ulp@1:4000.position.x", "swap@1:5,4000", "skip@1",
                               "ulp@1:" + fixed + ".velocity.x", "swap@1:" + fixed + ",5"};
  for (const std::string& text : texts) {
    World world(playground);
    World whole(playground);
    SerialExecutor executor;
    EXPECT_FALSE(session::step_with_fault(world, {}, fault_of(text), executor)) << text;
    step(whole, {}, executor);
    EXPECT_EQ(world.hash(), whole.hash()) << text;
    EXPECT_EQ(state_hash(world, executor), whole.hash()) << text;
  }
}

}  // namespace
}  // namespace orrery
