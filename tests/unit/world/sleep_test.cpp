// Tests the causes that wake a body, and that the sleep of an island does not affect other islands.
#include "common/world/sleep.h"

#include <gtest/gtest.h>

#include <string>

#include "common/core/hash.h"
#include "common/host/process/thread_pool.h"
#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

Scene sleepy(const char* spec) {
  Scene scene = built_in_scene(spec).value();
  scene.sleeping = true;
  return scene;
}

std::uint32_t sleepers(const World& world) { return world.collision()->sleeping->count(); }

// Runs until `count` bodies sleep.
void run_until_asleep(World& world, std::uint32_t count) {
  for (int tick = 0; tick < 600 && sleepers(world) != count; ++tick) run(world, 1);
  ASSERT_EQ(sleepers(world), count);
}

std::vector<std::uint8_t> image_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  return image;
}

ContactReport report_of(const World& world) {
  SerialExecutor serial;
  return report_contacts(world, serial);
}

bool same_body(const World& a, const World& b, std::uint32_t slot) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    if (a.bodies().at(field, slot) != b.bodies().at(field, slot)) return false;
  }
  return true;
}

// Returns a crate of 10 kg on a soft tether, and another one that hangs from it by a spring.
Scene hanging_crates() {
  Scene scene = sleepy("crates:1");
  scene.bodies[0].mass = 10;
  scene.bodies[0].inertia = solid_box_inertia(10, {0.5, 0.5, 0.5});
  scene.bodies[0].position = {0, 8, 0};
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[2].position = {0, 5, 0};
  scene.tethers.push_back({0, {}, {0, 10, 0}, 500, 100, 2});
  scene.springs.push_back({0, 2, {}, {}, 500, 100, 3});
  return scene;
}

TEST(Sleep, DoesNotDependOnTheThreads) {
  SerialExecutor serial;
  host::ThreadPool two(2);
  host::ThreadPool eight(8);
  for (const char* spec : {"cubes", "spheres:60"}) {
    World a(sleepy(spec));
    World b(sleepy(spec));
    World c(sleepy(spec));
    bool slept = false;
    for (int tick = 0; tick < 150; ++tick) {
      step(a, {}, serial);
      step(b, {}, two);
      step(c, {}, eight);
      ASSERT_EQ(a.hash(), b.hash()) << spec << " tick " << tick;
      ASSERT_EQ(a.hash(), c.hash()) << spec << " tick " << tick;
      slept = slept || sleepers(a) > 0;
    }
    EXPECT_TRUE(slept) << spec;
  }
}

// Returns two stacks of crates, bodies 0 to 2 and bodies 3 to 5, on a floor, body 6.
Scene two_stacks() {
  Scene scene = sleepy("crates:20");
  std::erase_if(scene.bodies, [](const BodyDef& body) { return body.position.y > 3; });
  return scene;
}

// Commands on the second stack do not affect the first one, whether that is asleep or awake.
TEST(Sleep, NoIslandDependsOnAnothersSleep) {
  World quiet(two_stacks());
  World loud(two_stacks());
  SerialExecutor serial;
  for (World* world : {&quiet, &loud}) ASSERT_TRUE(try_command(*world, join(1, Role::play)));
  int apart = 0;
  for (std::uint32_t tick = 0; tick < 400; ++tick) {
    std::vector<Command> both;
    if (tick == 150) both.push_back(give(1, command::Impulse{BodyId{2}, {150, 0, 0}}, tick));
    std::vector<Command> more = both;
    if (tick % 50 == 0) more.push_back(give(1, command::Impulse{BodyId{5}, {0, 300, 0}}, tick + 1));
    step(quiet, both, serial);
    step(loud, more, serial);
    apart += quiet.collision()->sleeping->asleep(3) != loud.collision()->sleeping->asleep(3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      ASSERT_TRUE(same_body(quiet, loud, slot)) << "slot " << slot << " tick " << tick;
      ASSERT_EQ(quiet.collision()->sleeping->asleep(slot),
                loud.collision()->sleeping->asleep(slot));
    }
  }
  EXPECT_GT(apart, 50);
  EXPECT_EQ(sleepers(quiet), 6u);
}

// A sleeping body keeps every bit. After it wakes, it stays within 0.1 mm of its place.
TEST(Sleep, WhatIsWokenStandsAsBefore) {
  for (const Scene& scene : {two_stacks(), sleepy("boxes:60")}) {
    World world(scene);
    FaultInjector injector(world);
    const auto bodies = world.bodies().slots();
    const std::uint32_t moving = report_of(world).awake;
    run_until_asleep(world, moving);
    World before(scene);
    ASSERT_TRUE(restore_image(before, image_of(world)).ok());
    run(world, 100);
    for (std::uint32_t slot = 0; slot < bodies; ++slot) ASSERT_TRUE(same_body(world, before, slot));
    for (int tick = 0; tick < 180; ++tick) {
      for (std::uint32_t slot = 0; slot < bodies; ++slot) wake(injector.state(), slot);
      run(world, 1);
      ASSERT_EQ(sleepers(world), 0u);
      for (std::uint32_t slot = 0; slot < bodies; ++slot) {
        ASSERT_LT(length(world.bodies().position(slot) - before.bodies().position(slot)), 1e-4)
            << scene.name << " slot " << slot << " tick " << tick;
      }
    }
  }
}

// Returns a world with a sleeping crate 0 on a floor 1.
World crate_asleep(Role role) {
  World world(sleepy("crates:1"));
  EXPECT_TRUE(try_command(world, join(1, role)));
  run_until_asleep(world, 1);
  return world;
}

TEST(Sleep, WhatIsDoneToABodyWakesIt) {
  const CommandPayload commands[] = {
      command::Impulse{BodyId{0}, {1000, 0, 0}},
      command::Thrust{BodyId{0}, {1, 0, 0}},
      command::Torque{BodyId{0}, {0, 1, 0}},
      command::Grab{BodyId{0}, {}, {0, 0.5f, 0}},
      command::Spawn{0, {0, 1.505f, 0}, {}},
      command::Spawn{1, {30, 5, 0}, {}},  // fixed: wakes all bodies
      command::Remove{BodyId{1}},
      command::SetParameter{Parameter::gravity, {0, 1, 0}},
  };
  for (const CommandPayload& command : commands) {
    World world = crate_asleep(Role::admin);
    ASSERT_TRUE(try_command(world, give(1, command)));
    EXPECT_EQ(sleepers(world), 0u) << "command " << command.index();
    EXPECT_GT(world.bodies().inverse_mass(0), 0);
    if (std::holds_alternative<command::Impulse>(command)) {
      EXPECT_GT(world.bodies().velocity(0).x, 0);
    }
  }
}

TEST(Sleep, WhatIsDoneElsewhereOrRefusedDoesNot) {
  const CommandPayload commands[] = {
      command::Spawn{0, {10, 1, 0}, {}},
      command::Impulse{BodyId{0}, {}},
      command::Thrust{BodyId{0}, {}},
      command::Move{{0, 5, 0}},
      command::SetParameter{Parameter::gravity, {0, 1, 0}},  // admins only
      command::Remove{BodyId{1}},                            // fixed: admins only
  };
  for (const CommandPayload& command : commands) {
    World world = crate_asleep(Role::play);
    try_command(world, give(1, command));
    EXPECT_EQ(sleepers(world), 1u) << "command " << command.index();
  }
}

// A change of the world reaches a body that was about to fall asleep.
TEST(Sleep, ChangesReachWhatIsAboutToSleep) {
  for (std::uint32_t early = 0; early < 3; ++early) {
    World up = crate_asleep(Role::admin);
    World down = crate_asleep(Role::admin);
    for (World* world : {&up, &down}) {
      wake(FaultInjector(*world).state(), 0);
      run(*world, 30 - static_cast<int>(early));
    }
    try_command(up, give(1, command::SetParameter{Parameter::gravity, {0, 1, 0}}));
    try_command(down, give(1, command::Remove{BodyId{1}}));
    run(up, 60);
    run(down, 60);
    EXPECT_GT(up.bodies().position(0).y, 0.6) << early;
    EXPECT_LT(down.bodies().position(0).y, 0.4) << early;
  }
}

// Three crates are stacked. Crate 2 falls when crate 1 below it is removed. Before the removal, all
// crates sleep, unless a thrust on crate 1 keeps them awake (`held`).
TEST(Sleep, ARemovedBodyCarriesNothingAnyMore) {
  for (const bool held : {false, true}) {
    World world(sleepy("crates:3"));
    ASSERT_TRUE(try_command(world, join(1, Role::admin)));
    if (held) {
      ASSERT_TRUE(try_command(world, give(1, command::Thrust{BodyId{1}, {1e-3f, 0, 0}})));
      run(world, 200);
      ASSERT_EQ(sleepers(world), 0u);
    } else {
      run_until_asleep(world, 3);
    }
    ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{1}}, 2)));
    const auto ended = world.collision()->solver.contacts().events().list();
    EXPECT_EQ(ended.size(), 2u);
    for (const physics::ContactEvent& event : ended)
      EXPECT_EQ(event.change, physics::ContactChange::end);
    run(world, 90);
    EXPECT_NEAR(world.bodies().position(2).y, 1.5, 0.01);
  }
}

TEST(Sleep, SpringsJoin) {
  World world(hanging_crates());
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  run_until_asleep(world, 2);
  run(world, 100);
  EXPECT_EQ(sleepers(world), 2u);
  ASSERT_TRUE(try_command(world, give(1, command::Impulse{BodyId{0}, {0, 0.1f, 0}})));
  EXPECT_EQ(sleepers(world), 0u);
  run_until_asleep(world, 2);
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{0}}, 2)));
  run(world, 120);
  EXPECT_NEAR(world.bodies().position(2).y, 0.5, 0.01);  // on the floor
}

// Crate 0 is welded below crate 1. Crate 1 is welded to the floor, body 2, at a point 8.5 m above
// the floor.
TEST(Sleep, JointsJoin) {
  Scene scene = sleepy("crates:2");
  scene.bodies[0].position = {0, 5, 0};
  scene.bodies[1].position = {0, 7, 0};
  JointDef weld;
  weld.kind = physics::JointKind::weld;
  weld.a = 1;
  weld.b = 0;
  weld.at_b = {0, 2, 0};
  scene.joints.push_back(weld);
  weld.a = 2;
  weld.b = 1;
  weld.at_a = {0, 9, 0};
  weld.at_b = {0, 1.5, 0};
  scene.joints.push_back(weld);
  World world(scene);
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  run_until_asleep(world, 2);
  ASSERT_TRUE(try_command(world, give(1, command::Impulse{BodyId{0}, {1, 0, 0}})));
  EXPECT_EQ(sleepers(world), 0u);
  EXPECT_EQ(report_of(world).islands, 1u);
  run_until_asleep(world, 2);
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{1}}, 2)));
  run(world, 120);
  EXPECT_NEAR(world.bodies().position(0).y, 0.5, 0.01);
}

// A kinematic platform moves to a sleeping crate, wakes it, and pushes it along.
TEST(Sleep, AKinematicBodyWakesWhatItPasses) {
  Scene scene = sleepy("crates:1");
  BodyDef platform = shaped_body(scene, add_box_shape(scene, {0.5, 0.1, 0.5}), {-4, 0.5, 0});
  platform.kind = BodyKind::kinematic;
  platform.velocity = {1, 0, 0};
  scene.bodies.push_back(platform);
  World world(scene);
  run(world, 120);
  EXPECT_EQ(sleepers(world), 1u);
  run(world, 120);
  EXPECT_EQ(sleepers(world), 0u);
  EXPECT_GT(world.bodies().position(0).x, 0.5);
}

// Saves the world, restores it into another one, and runs both. Both must get the same states.
void expect_joins(const World& world, const Scene& scene, int ticks) {
  World first(scene);
  World second(scene);
  for (World* copy : {&first, &second}) {
    const Status restored = restore_image(*copy, image_of(world));
    ASSERT_TRUE(restored.ok()) << restored.error().text();
  }
  run(first, ticks);
  run(second, ticks / 2);
  const std::vector<std::uint8_t> middle = image_of(second);
  ASSERT_TRUE(restore_image(second, middle).ok());
  run(second, ticks - ticks / 2);
  EXPECT_EQ(first.hash(), second.hash());
}

// A body that takes the slot of another in the same tick has none of its contacts. The two have
// shapes whose contacts with the floor are of different kinds.
TEST(Sleep, ABodyInTheSlotOfAnotherDoesNotTakeItsContacts) {
  for (const std::uint32_t rate : {1u, 2u, 3u, 60u}) {
    Scene scene = sleepy("crates:1");
    scene.tick_rate = rate;
    scene.bodies.push_back(shaped_body(scene, add_shape(scene, physics::PartDef{}), {9, 50, 0}));
    World world(scene);
    ASSERT_TRUE(try_command(world, join(1, Role::play)));
    run(world, 1);
    ASSERT_EQ(world.collision()->solver.contacts().size(), 1u) << rate;
    const Command replace[] = {give(1, command::Remove{BodyId{0}}),
                               give(1, command::Spawn{2, {0, 9, 0}, {}})};
    SerialExecutor serial;
    step(world, replace, serial);
    ASSERT_EQ(world.applied().size(), 2u);
    EXPECT_EQ(report_of(world).contacts, 0u) << rate;
    expect_joins(world, scene, 8);
    const BodyId ball = body_id(world, 0);
    ASSERT_TRUE(try_command(world, give(1, command::Impulse{ball, {0, 1, 0}}, 2)));
    expect_joins(world, scene, 8);
  }
}

// Even if a tick takes longer than a body must be still, forces act on a body before it sleeps.
TEST(Sleep, WhatIsReleasedOrWokenMovesAtAnyRate) {
  for (const std::uint32_t rate : {1u, 2u, 3u, 60u}) {
    Scene scene = sleepy("crates:1");
    scene.tick_rate = rate;
    scene.bodies[0].position = {0, 30, 0};
    World world(scene);
    ASSERT_TRUE(try_command(world, join(1, Role::admin)));
    EXPECT_LT(world.bodies().position(0).y, 30) << rate;
    run_until_asleep(world, 1);
    EXPECT_NEAR(world.bodies().position(0).y, 0.5, 0.2) << rate;
    const command::SetParameter up{Parameter::gravity, {0, 1, 0}};
    ASSERT_TRUE(try_command(world, give(1, up)));
    run(world, static_cast<int>(rate));
    EXPECT_GT(world.bodies().position(0).y, 0.6) << rate;
  }
}

TEST(Sleep, IsReported) {
  World world(two_stacks());
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  EXPECT_EQ(report_of(world).awake, 6u);
  run_until_asleep(world, 6);
  ASSERT_TRUE(try_command(world, give(1, command::Impulse{BodyId{3}, {1, 0, 0}})));
  const ContactReport report = report_of(world);
  EXPECT_EQ(report.islands, 2u);
  EXPECT_EQ(report.awake, 3u);
  EXPECT_EQ(report.contacts, 6u);
  EXPECT_EQ(report.points, 24u);
  EXPECT_NEAR(report.top, 2.5, 0.01);
  EXPECT_EQ(report.overlapping, 6u);
}

TEST(Sleep, IsNotForEveryScene) {
  Scene scene = sleepy("free:2");
  EXPECT_NE(validate(scene).error().text().find("sleeping"), std::string::npos);
  scene = sleepy("crates:2");
  EXPECT_TRUE(validate(scene).ok());
  scene.gravitational_constant = 1;
  EXPECT_NE(validate(scene).error().text().find("sleeping"), std::string::npos);
  World world(sleepy("crates:2"));
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  const command::SetParameter attract{Parameter::gravitational_constant, {1, 0, 0}};
  EXPECT_FALSE(try_command(world, give(1, attract)));
}

}  // namespace
}  // namespace orrery
