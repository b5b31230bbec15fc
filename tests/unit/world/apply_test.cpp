// Tests which client may give each command, and the effect of the command.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/world/image/state_hash.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::uint32_t kOwner = 1;
constexpr std::uint32_t kOther = 2;

World world_with(std::uint32_t client, Role role) {
  World world(small_scene());
  EXPECT_TRUE(try_command(world, join(client, role)));
  return world;
}

BodyId body(std::uint32_t slot) { return BodyId{slot}; }

// Returns one command of each kind that acts on a body. Each would change something.
std::vector<CommandPayload> body_commands(BodyId id) {
  return {command::Thrust{id, {1, 0, 0}}, command::Torque{id, {1, 0, 0}},
          command::Impulse{id, {1, 0, 0}}, command::Grab{id, {}, {1, 2, 3}}, command::Remove{id}};
}

TEST(Apply, WhoMayCommandWhichBody) {
  struct {
    SmallBody body;
    Role role;
    std::uint32_t client;
    bool allowed;
  } const table[] = {
      {kFreeBox, Role::watch, kOwner, false}, {kFreeBox, Role::play, kOther, true},
      {kFreeBox, Role::admin, kOther, true},  {kPoint, Role::play, kOther, true},
      {kGuarded, Role::watch, kOwner, false}, {kGuarded, Role::play, kOwner, false},
      {kGuarded, Role::admin, kOther, true},  {kOwned, Role::watch, kOwner, false},
      {kOwned, Role::play, kOwner, true},     {kOwned, Role::play, kOther, false},
      {kOwned, Role::admin, kOther, true},    {kUnowned, Role::play, kOwner, false},
      {kUnowned, Role::admin, kOwner, true},  {kAnchor, Role::watch, kOwner, false},
      {kAnchor, Role::play, kOwner, false},
  };
  for (const auto& row : table) {
    for (const CommandPayload& payload : body_commands(body(row.body))) {
      World world = world_with(row.client, row.role);
      EXPECT_EQ(try_command(world, give(row.client, payload)), row.allowed)
          << "body " << row.body << ", role " << static_cast<int>(row.role) << ", client "
          << row.client << ", command " << payload.index();
    }
  }
}

// Nothing moves an anchor, but an admin may remove it.
TEST(Apply, AnAnchorMayOnlyBeRemovedAndByAnAdmin) {
  for (const CommandPayload& payload : body_commands(body(kAnchor))) {
    World world = world_with(kOther, Role::admin);
    const bool remove = std::holds_alternative<command::Remove>(payload);
    EXPECT_EQ(try_command(world, give(kOther, payload)), remove) << payload.index();
  }
}

TEST(Apply, WhoHasNotJoinedCommandsNothing) {
  World world(small_scene());
  for (const CommandPayload& payload : body_commands(body(kFreeBox))) {
    EXPECT_FALSE(try_command(world, give(kOther, payload)));
  }
  EXPECT_FALSE(try_command(world, give(kOther, command::Spawn{kFreeBox, {}, {}})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Join{ClientId{kOther}, Role::admin})));
}

TEST(Apply, ClientsCannotJoinLeaveOrPlayTheServer) {
  World world = world_with(kOther, Role::admin);
  EXPECT_FALSE(try_command(world, give(kOther, command::Join{ClientId{3}, Role::admin})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Leave{ClientId{kOther}})));
  EXPECT_FALSE(try_command(world, give(0, command::Thrust{body(kFreeBox), {1, 0, 0}})))
      << "the server never leaves, so its thrust would never end";
  EXPECT_FALSE(try_command(world, join(0, Role::admin)));
}

TEST(Apply, BodiesThatAreNotThereAreIgnored) {
  World world = world_with(kOther, Role::admin);
  for (const BodyId id :
       {body(kSmallBodies), body(limits::kBodiesMax - 1), BodyId{~0u}, make_body_id(kFreeBox, 1)}) {
    for (const CommandPayload& payload : body_commands(id)) {
      EXPECT_FALSE(try_command(world, give(kOther, payload))) << id.value;
    }
  }
  EXPECT_FALSE(try_command(world, give(kOther, command::Spawn{kSmallBodies, {}, {}})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Spawn{~0u, {}, {}})));
}

TEST(Apply, AThrustIsHeldUntilItIsTakenBack) {
  World world = world_with(kOther, Role::play);
  World idle = world_with(kOther, Role::play);
  SerialExecutor serial;
  const Command thrust = give(kOther, command::Thrust{body(kPoint), {0, 0, 6}});
  EXPECT_TRUE(try_command(world, thrust));
  EXPECT_FALSE(try_command(world, thrust));  // already held
  for (int i = 0; i < 58; ++i) step(world, {}, serial);
  for (int i = 0; i < 60; ++i) step(idle, {}, serial);
  EXPECT_GT(world.bodies().velocity(kPoint).z, idle.bodies().velocity(kPoint).z + 3);
  EXPECT_TRUE(try_command(world, give(kOther, command::Thrust{body(kPoint), {}})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Thrust{body(kPoint), {}})));
  EXPECT_TRUE(world.controls().thrusts.empty());
}

TEST(Apply, ForceAndTorqueAreHeldSideBySide) {
  World world = world_with(kOther, Role::play);
  EXPECT_TRUE(try_command(world, give(kOther, command::Thrust{body(kFreeBox), {1, 0, 0}})));
  EXPECT_TRUE(try_command(world, give(kOther, command::Torque{body(kFreeBox), {0, 1, 0}})));
  ASSERT_EQ(world.controls().thrusts.size(), 1u);
  EXPECT_TRUE(try_command(world, give(kOther, command::Thrust{body(kFreeBox), {}})));
  ASSERT_EQ(world.controls().thrusts.size(), 1u);
  EXPECT_EQ(world.controls().thrusts[0].torque, (Vec3f{0, 1, 0}));
  EXPECT_TRUE(try_command(world, give(kOther, command::Torque{body(kFreeBox), {}})));
  EXPECT_TRUE(world.controls().thrusts.empty());
}

TEST(Apply, AnImpulseChangesMomentumByItself) {
  World world = world_with(kOwner, Role::play);
  World idle = world_with(kOwner, Role::play);
  SerialExecutor serial;
  EXPECT_TRUE(try_command(world, give(kOwner, command::Impulse{body(kOwned), {3, 0, 0}})));
  step(idle, {}, serial);
  // The mass is 1, so the impulse adds a speed of 3. One tick of drag reduces it a little.
  EXPECT_NEAR(world.bodies().velocity(kOwned).x - idle.bodies().velocity(kOwned).x, 3, 0.01);
  EXPECT_FALSE(try_command(world, give(kOwner, command::Impulse{body(kOwned), {}})));
}

TEST(Apply, AGrabPullsToItsTargetUntilReleased) {
  World world = world_with(kOwner, Role::play);
  SerialExecutor serial;
  const Command grab = give(kOwner, command::Grab{body(kOwned), {}, {0, 8, 0}});
  EXPECT_TRUE(try_command(world, grab));
  EXPECT_FALSE(try_command(world, grab));
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  // The body hangs below the target, because its weight stretches the spring.
  const double stretch = 9.81 / (6 * 3.141592653589793 * 6 * 3.141592653589793);
  EXPECT_NEAR(length(world.bodies().position(kOwned) - Vec3{0, 8 - stretch, 0}), 0, 1e-2);
  EXPECT_TRUE(try_command(world, give(kOwner, command::Move{{4, 8, 0}})));
  EXPECT_FALSE(try_command(world, give(kOwner, command::Move{{4, 8, 0}})));
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies().position(kOwned).x, 4, 1e-2);
  EXPECT_TRUE(try_command(world, give(kOwner, command::Release{})));
  EXPECT_FALSE(try_command(world, give(kOwner, command::Release{})));
  EXPECT_FALSE(try_command(world, give(kOwner, command::Move{{0, 0, 0}})));
  for (int i = 0; i < 60; ++i) step(world, {}, serial);
  EXPECT_LT(world.bodies().position(kOwned).y, 6);
}

TEST(Apply, AClientHasOneGrab) {
  World world = world_with(kOther, Role::play);
  EXPECT_TRUE(try_command(world, give(kOther, command::Grab{body(kFreeBox), {}, {}})));
  EXPECT_TRUE(try_command(world, give(kOther, command::Grab{body(kPoint), {}, {}})));
  EXPECT_EQ(world.forces().grips.size(), 1u);
  EXPECT_EQ(world.forces().grips[0].slot, kPoint);
}

TEST(Apply, ARemovedBodyTakesItsHandsSpringsAndThrustsAlong) {
  World world = world_with(kOther, Role::play);
  EXPECT_TRUE(try_command(world, give(kOther, command::Grab{body(kFreeBox), {}, {}})));
  EXPECT_TRUE(try_command(world, give(kOther, command::Thrust{body(kFreeBox), {1, 0, 0}})));
  ASSERT_EQ(world.forces().springs.size(), 1u);
  ASSERT_EQ(world.forces().tethers.size(), 1u);
  EXPECT_TRUE(try_command(world, give(kOther, command::Remove{body(kFreeBox)})));
  EXPECT_FALSE(contains(world, body(kFreeBox)));
  EXPECT_TRUE(world.forces().springs.empty());
  EXPECT_TRUE(world.forces().tethers.empty());
  EXPECT_TRUE(world.forces().grips.empty());
  EXPECT_TRUE(world.forces().thrusters.empty());
  EXPECT_FALSE(try_command(world, give(kOther, command::Remove{body(kFreeBox)})));
}

TEST(Apply, ASpawnedBodyHasANewIdAndIsOwnedByWhoMadeIt) {
  World world = world_with(kOwner, Role::play);
  EXPECT_TRUE(try_command(world, join(kOther, Role::play)));
  EXPECT_TRUE(try_command(world, give(kOther, command::Remove{body(kFreeBox)})));
  EXPECT_TRUE(try_command(world, give(kOther, command::Spawn{kUnowned, {1, 2, 3}, {0, 1, 0}})));
  const BodyId id = body_id(world, kFreeBox);
  EXPECT_EQ(id, make_body_id(kFreeBox, 1));
  EXPECT_FALSE(contains(world, body(kFreeBox)));
  EXPECT_TRUE(world.forces().springs.empty());  // they belonged to the removed body
  EXPECT_FALSE(try_command(world, give(kOwner, command::Thrust{id, {1, 0, 0}})));
  EXPECT_TRUE(try_command(world, give(kOther, command::Thrust{id, {1, 0, 0}})));
}

TEST(Apply, ASpawnedBodyMayGetAnOrientationAndASpin) {
  Scene scene = small_scene();
  scene.bodies[kUnowned].orientation = {0, 1, 0, 0};
  scene.bodies[kUnowned].angular_velocity = {0, 3, 0};
  scene.gravity = {};
  World world(scene);
  EXPECT_TRUE(try_command(world, join(kOther, Role::play)));
  const auto spawn = [&](const Quatf& orientation, const Vec3f& spin) {
    const command::Spawn command{kUnowned, {1, 2, 3}, {}, orientation, spin};
    EXPECT_TRUE(try_command(world, give(kOther, command)));
    return world.bodies().slots() - 1;
  };
  const auto turns = [&](std::uint32_t slot, const Quat& about, const Vec3& spin) {
    const Quat q = world.bodies().orientation(slot);
    EXPECT_NEAR(std::abs(q.x * about.x + q.y * about.y + q.z * about.z + q.w * about.w), 1, 2e-2);
    EXPECT_NEAR(length(world.bodies().angular_velocity(slot) - spin), 0, 2e-2);
  };
  const Quatf none{0, 0, 0, 0}, some{0.6f, 0, 0, 0.8f};
  turns(spawn(none, {}), {0, 1, 0, 0}, {0, 3, 0});
  turns(spawn(none, {0, 0, 2}), {0, 1, 0, 0}, {0, 0, 2});
  turns(spawn(some, {}), widen(some), {});
  turns(spawn(some, {0, 0, 2}), widen(some), {0, 0, 2});
}

TEST(Apply, OnlyWhatAPlayerMayCommandMayHeSpawn) {
  World world = world_with(kOther, Role::play);
  EXPECT_FALSE(try_command(world, give(kOther, command::Spawn{kGuarded, {}, {}})));
  World watched = world_with(kOther, Role::watch);
  EXPECT_FALSE(try_command(watched, give(kOther, command::Spawn{kFreeBox, {}, {}})));
  World ruled = world_with(kOther, Role::admin);
  EXPECT_TRUE(try_command(ruled, give(kOther, command::Spawn{kGuarded, {}, {}})));
}

TEST(Apply, SpawnsEndWhereTheSceneSaysSo) {
  World world = world_with(kOther, Role::play);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(try_command(world, give(kOther, command::Spawn{kFreeBox, {}, {}})));
  }
  EXPECT_FALSE(try_command(world, give(kOther, command::Spawn{kFreeBox, {}, {}})));
  EXPECT_EQ(world.bodies().count(), kSmallBodies + 4u);
}

// A reused slot is never mistaken for the scene's original body, however often it is reused.
TEST(Apply, GenerationsNeverComeBackToZero) {
  World world = world_with(kOther, Role::play);
  SerialExecutor serial;
  for (std::uint32_t i = 0; i < limits::kGenerationsMax + 2; ++i) {
    const Command commands[] = {
        give(kOther, command::Remove{body_id(world, kFreeBox)}, 1),
        give(kOther, command::Spawn{kPoint, {}, {}}, 2),
    };
    step(world, commands, serial);
    ASSERT_EQ(world.applied().size(), 2u);
    ASSERT_NE(generation_of(body_id(world, kFreeBox)), 0u) << i;
    ASSERT_TRUE(world.forces().springs.empty());
  }
}

TEST(Apply, ParametersAreForAdmins) {
  const command::SetParameter lighter{Parameter::gravity, {0, -1, 0}};
  for (const Role role : {Role::watch, Role::play}) {
    World world = world_with(kOther, role);
    EXPECT_FALSE(try_command(world, give(kOther, lighter)));
  }
  World world = world_with(kOther, Role::admin);
  EXPECT_TRUE(try_command(world, give(kOther, lighter)));
  EXPECT_EQ(world.controls().gravity, (Vec3{0, -1, 0}));
  EXPECT_FALSE(try_command(world, give(kOther, lighter)));
  const command::SetParameter attraction{Parameter::gravitational_constant, {2, 0, 0}};
  EXPECT_TRUE(try_command(world, give(kOther, attraction)));
  EXPECT_EQ(world.forces().gravitational_constant, 2);
  const command::SetParameter repulsion{Parameter::gravitational_constant, {-1, 0, 0}};
  EXPECT_FALSE(try_command(world, give(kOther, repulsion)));
}

// -0 equals 0, so setting it is no change. A change that is not reported would be missing in the
// log.
TEST(Apply, WhatIsNotReportedAsAChangeChangesNothing) {
  for (const Parameter parameter : {Parameter::gravity, Parameter::gravitational_constant}) {
    Scene scene = small_scene();
    scene.gravity = {};
    World world(scene);
    ASSERT_TRUE(try_command(world, join(kOther, Role::admin)));
    const std::uint64_t before = hash_controls(world);
    EXPECT_FALSE(
        try_command(world, give(kOther, command::SetParameter{parameter, {-0.0f, -0.0f, -0.0f}})));
    EXPECT_EQ(hash_controls(world), before);
  }
}

TEST(Apply, NegativeZeroIsNoChangeOfHands) {
  World world = world_with(kOther, Role::admin);
  const Vec3f zero = {-0.0f, -0.0f, -0.0f};
  ASSERT_TRUE(try_command(world, give(kOther, command::Grab{body(kFreeBox), {}, {}})));
  ASSERT_TRUE(try_command(world, give(kOther, command::Thrust{body(kPoint), {1, 0, 0}})));
  const std::uint64_t before = hash_controls(world);
  EXPECT_FALSE(try_command(world, give(kOther, command::Move{zero})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Grab{body(kFreeBox), zero, zero})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Torque{body(kPoint), zero})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Thrust{body(kFreeBox), zero})));
  EXPECT_FALSE(try_command(world, give(kOther, command::Impulse{body(kPoint), zero})));
  EXPECT_EQ(hash_controls(world), before);
}

TEST(Apply, WhoLeavesLetsGo) {
  World world = world_with(kOther, Role::play);
  EXPECT_FALSE(try_command(world, join(kOther, Role::admin)));  // already joined
  EXPECT_TRUE(try_command(world, give(kOther, command::Grab{body(kFreeBox), {}, {}})));
  EXPECT_TRUE(try_command(world, give(kOther, command::Thrust{body(kPoint), {1, 0, 0}})));
  EXPECT_TRUE(try_command(world, leave(kOther)));
  EXPECT_TRUE(world.forces().grips.empty());
  EXPECT_TRUE(world.forces().thrusters.empty());
  EXPECT_TRUE(world.controls().clients.empty());
  EXPECT_FALSE(try_command(world, leave(kOther)));
}

// A client does not inherit the bodies that an earlier client with its id spawned. It does own the
// bodies that the scene gives to that id.
TEST(Apply, WhoLeavesGivesUpWhatItSpawned) {
  World world = world_with(kOwner, Role::play);
  EXPECT_TRUE(try_command(world, give(kOwner, command::Spawn{kUnowned, {1, 2, 3}, {}})));
  const BodyId spawned = body_id(world, kSmallBodies);
  EXPECT_TRUE(try_command(world, give(kOwner, command::Thrust{spawned, {1, 0, 0}})));
  EXPECT_TRUE(try_command(world, leave(kOwner)));
  EXPECT_TRUE(try_command(world, join(kOwner, Role::play)));
  for (const CommandPayload& payload : body_commands(spawned)) {
    EXPECT_FALSE(try_command(world, give(kOwner, payload))) << payload.index();
  }
  EXPECT_TRUE(try_command(world, give(kOwner, command::Thrust{body(kOwned), {1, 0, 0}})));
  // A leave and a join in the same tick also end the ownership of spawned bodies. The new client
  // owns the bodies that it spawns itself.
  EXPECT_TRUE(try_command(world, give(kOwner, command::Spawn{kUnowned, {1, 2, 3}, {}})));
  const BodyId second = body_id(world, kSmallBodies + 1);
  const Command commands[] = {leave(kOwner, 1), join(kOwner, Role::play, 2),
                              give(kOwner, command::Thrust{second, {1, 0, 0}}, 3),
                              give(kOwner, command::Spawn{kUnowned, {4, 2, 3}, {}}, 4)};
  SerialExecutor serial;
  step(world, commands, serial);
  EXPECT_EQ(world.applied().size(), 3u);
  const BodyId third = body_id(world, kSmallBodies + 2);
  EXPECT_FALSE(try_command(world, give(kOwner, command::Thrust{second, {1, 0, 0}})));
  EXPECT_TRUE(try_command(world, give(kOwner, command::Thrust{third, {1, 0, 0}})));
}

TEST(Apply, ClientsAreBounded) {
  World world(small_scene());
  SerialExecutor serial;
  std::vector<Command> commands;
  for (std::uint32_t c = 1; c <= limits::kClientsMax + 1; ++c) {
    commands.push_back(join(c, Role::play, c));
  }
  step(world, commands, serial);
  EXPECT_EQ(world.applied().size(), limits::kClientsMax);
  EXPECT_EQ(world.controls().clients.size(), limits::kClientsMax);
}

}  // namespace
}  // namespace orrery
