// Tests the commands that change the filter and the gravity of a body, and the events of one body.
#include "common/world/commands/body_changes.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "common/world/image/image.h"
#include "common/world/report/conserved.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::uint32_t kGround = 0, kBox = 1, kAnother = 2;

// Returns two crates that rest on a floor.
Scene crates(bool sleeping = false) {
  Scene scene;
  use_contacts(scene);
  scene.sleeping = sleeping;
  add_block(scene, {9, 0.25, 9}, {0, -0.25, 0});
  const std::uint32_t box = add_box_shape(scene, {0.5, 0.5, 0.5});
  scene.bodies.push_back(shaped_body(scene, box, {0, 0.5, 0}));
  scene.bodies.push_back(shaped_body(scene, box, {4, 0.5, 0}));
  return scene;
}

Verdict verdict_of(World& world, const Command& command) {
  SerialExecutor serial;
  std::vector<RefusedCommand> refused;
  step(world, {&command, 1}, serial, &refused);
  if (!refused.empty()) return refused[0].reason;
  return world.applied().empty() ? Verdict::unchanged : Verdict::applied;
}

bool had_event(const World& world, EventKind kind, std::uint32_t slot) {
  for (const WorldEvent& event : world.events().list) {
    if (event.kind == kind && (slot_of(event.a) == slot || slot_of(event.b) == slot)) return true;
  }
  return false;
}

// Runs ticks. Expects that worlds restored from the image of `world` move alike.
void run_with_images(World& world, int ticks) {
  World other(world.scene());
  for (int i = 0; i < ticks; ++i) {
    std::vector<std::uint8_t> image;
    save_image(world, image);
    ASSERT_TRUE(restore_image(other, image).ok()) << i;
    ASSERT_EQ(other.hash(), world.hash());
    run(world, 1);
    run(other, 1);
    ASSERT_EQ(other.hash(), world.hash()) << i;
  }
}

TEST(BodyChanges, OnlyAdminsAndTheServerChangeBodies) {
  for (const Role role : {Role::watch, Role::play, Role::admin}) {
    World world(crates());
    ASSERT_TRUE(try_command(world, join(1, role)));
    const Verdict expected = role == Role::admin ? Verdict::applied : Verdict::role;
    EXPECT_EQ(verdict_of(world, give(1, command::SetFilter{BodyId{kBox}, 2, 3})), expected);
    EXPECT_EQ(verdict_of(world, give(1, command::SetGravityScale{BodyId{kBox}, 2})), expected);
  }
  World world(crates());
  EXPECT_EQ(verdict_of(world, give(0, command::SetFilter{BodyId{9}, 2, 3})), Verdict::no_body);
  EXPECT_EQ(verdict_of(world, give(0, command::SetGravityScale{BodyId{9}, 2})), Verdict::no_body);
  EXPECT_EQ(verdict_of(world, give(0, command::SetGravityScale{BodyId{kGround}, 2})),
            Verdict::fixed);
  EXPECT_EQ(verdict_of(world, give(0, command::SetFilter{BodyId{kGround}, 2, 3})),
            Verdict::applied);
  EXPECT_EQ(verdict_of(world, give(0, command::SetFilter{BodyId{kGround}, 2, 3})),
            Verdict::unchanged);
  World points(small_scene());
  EXPECT_EQ(verdict_of(points, give(0, command::SetFilter{BodyId{kFreeBox}, 2, 3})),
            Verdict::unavailable);
}

// A crate falls through the floor, which ends their contact, and another one does not.
TEST(BodyChanges, AFilterEndsContacts) {
  for (const bool sleeping : {false, true}) {
    World world(crates(sleeping));
    run(world, 90);
    ASSERT_EQ(sleeping, world.collision()->sleeping && world.collision()->sleeping->asleep(kBox));
    ASSERT_TRUE(try_command(world, give(0, command::SetFilter{BodyId{kBox}, 2, 2})));
    EXPECT_TRUE(had_event(world, EventKind::contact_end, kBox));
    run_with_images(world, 30);
    EXPECT_LT(world.bodies().position(kBox).y, 0);
    EXPECT_NEAR(world.bodies().position(kAnother).y, 0.5, 0.01);
    // It meets the floor again, from the other side of it.
    ASSERT_TRUE(try_command(world, give(0, command::Place{BodyId{kBox}, {0, 2, 0}, {}, {}, {}})));
    ASSERT_TRUE(try_command(world, give(0, command::SetFilter{BodyId{kBox}, 1, 1})));
    run_with_images(world, 120);
    EXPECT_NEAR(world.bodies().position(kBox).y, 0.5, 0.01);
  }
}

// The filter of a fixed body wakes the bodies on it.
TEST(BodyChanges, TheFloorLetsAllCratesFall) {
  World world(crates(true));
  run(world, 90);
  ASSERT_TRUE(world.collision()->sleeping->asleep(kBox));
  ASSERT_TRUE(try_command(world, give(0, command::SetFilter{BodyId{kGround}, 0, 0})));
  run_with_images(world, 30);
  EXPECT_LT(world.bodies().position(kBox).y, 0);
  EXPECT_LT(world.bodies().position(kAnother).y, 0);
}

TEST(BodyChanges, AChangeEndsWithItsBody) {
  World world(crates());
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::SetFilter{BodyId{kBox}, 2, 2})));
  ASSERT_TRUE(try_command(world, give(1, command::SetGravityScale{BodyId{kBox}, -1})));
  ASSERT_EQ(world.controls().changes.size(), 1u);
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{kBox}})));
  EXPECT_TRUE(world.controls().changes.empty());
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{kBox, {0, 0.5, 0}, {}})));
  run_with_images(world, 60);
  EXPECT_NEAR(world.bodies().position(kBox).y, 0.5, 0.01);
}

// Restoring the image of another state undoes the changes.
TEST(BodyChanges, AnImageBringsItsOwnChanges) {
  World world(crates());
  std::vector<std::uint8_t> before, after;
  save_image(world, before);
  ASSERT_TRUE(try_command(world, give(0, command::SetFilter{BodyId{kBox}, 2, 2})));
  ASSERT_TRUE(try_command(world, give(0, command::SetGravityScale{BodyId{kAnother}, 0})));
  save_image(world, after);
  World fresh(crates());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(restore_image(world, i % 2 == 0 ? before : after).ok());
    ASSERT_TRUE(restore_image(fresh, i % 2 == 0 ? before : after).ok());
    run(world, 20);
    World clean(crates());
    ASSERT_TRUE(restore_image(clean, i % 2 == 0 ? before : after).ok());
    run(clean, 20);
    ASSERT_EQ(world.hash(), clean.hash()) << i;
    EXPECT_EQ(world.bodies().position(kBox).y < 0.3, i % 2 == 1);
  }
}

TEST(BodyChanges, GravityActsWithItsFactor) {
  for (const bool contacts : {false, true}) {
    Scene scene = contacts ? crates() : small_scene();
    scene.springs.clear();
    scene.tethers.clear();
    scene.gravity = {0, -10, 0};
    for (BodyDef& body : scene.bodies) body.position.y += 50, body.linear_drag = 0;
    World world(scene);
    const std::uint32_t slot = contacts ? kBox : static_cast<std::uint32_t>(kFreeBox);
    ASSERT_TRUE(try_command(world, give(0, command::SetGravityScale{BodyId{slot}, -0.5f})));
    const double before = world.bodies().velocity(slot).y;
    run_with_images(world, 60);
    EXPECT_NEAR(world.bodies().velocity(slot).y - before, 5, 0.01);
    EXPECT_EQ(gravity_scale_of(world, slot), -0.5);
    EXPECT_EQ(verdict_of(world, give(0, command::SetGravityScale{BodyId{slot}, -0.5f})),
              Verdict::unchanged);
  }
}

TEST(BodyChanges, AFactorOfGravityWakesABody) {
  World world(crates(true));
  run(world, 90);
  ASSERT_TRUE(world.collision()->sleeping->asleep(kBox));
  ASSERT_TRUE(try_command(world, give(0, command::SetGravityScale{BodyId{kBox}, -0.1f})));
  run_with_images(world, 120);
  EXPECT_GT(world.bodies().position(kBox).y, 1);
  EXPECT_TRUE(world.collision()->sleeping->asleep(kAnother));
}

TEST(BodyEvents, LeavingTheBoundsIsAnEvent) {
  Scene scene = crates();
  scene.bounds_lower = {-2, -3, -2};
  scene.bounds_upper = {8, 10, 2};
  World world(scene);
  EXPECT_FALSE(had_event(world, EventKind::left_bounds, kBox));
  ASSERT_TRUE(try_command(world, give(0, command::Place{BodyId{kBox}, {-3, 1, 0}, {}, {}, {}})));
  EXPECT_TRUE(had_event(world, EventKind::left_bounds, kBox));
  run(world, 1);
  EXPECT_FALSE(had_event(world, EventKind::left_bounds, kBox)) << "once";
  ASSERT_TRUE(try_command(world, give(0, command::SetFilter{BodyId{kAnother}, 2, 2})));
  int ticks = 0;
  while (!had_event(world, EventKind::left_bounds, kAnother) && ticks < 200) run(world, 1), ++ticks;
  EXPECT_LT(world.bodies().position(kAnother).y, -3);
  EXPECT_GT(world.bodies().position(kAnother).y, -3.3);
  scene.bounds_upper.x = -5;
  EXPECT_FALSE(validate(scene).ok());
}

TEST(BodyEvents, SleepIsAnEventIfTheSceneAsks) {
  Scene scene = crates(true);
  World quiet(scene);
  scene.sleep_events = true;
  World world(scene);
  int slept = 0, told = 0;
  for (int i = 0; i < 90; ++i) {
    run(world, 1);
    run(quiet, 1);
    slept += had_event(world, EventKind::fell_asleep, kBox);
    told += had_event(quiet, EventKind::fell_asleep, kBox);
    ASSERT_EQ(world.hash(), quiet.hash());
  }
  EXPECT_EQ(slept, 1);
  EXPECT_EQ(told, 0);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::Impulse{BodyId{kBox}, {0, 900, 0}})));
  EXPECT_TRUE(had_event(world, EventKind::woke, kBox));
  EXPECT_FALSE(had_event(world, EventKind::woke, kAnother));
  scene.sleeping = false;
  EXPECT_FALSE(validate(scene).ok());
}

}  // namespace
}  // namespace orrery
