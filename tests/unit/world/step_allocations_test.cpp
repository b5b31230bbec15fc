// Tests that a tick allocates no memory after a warm-up.
#include <gtest/gtest.h>

#include <vector>

#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"
#include "tests/unit/allocations.h"

namespace orrery {
namespace {

using test::allocations;

std::uint64_t allocations_of(World& world, int ticks, const std::vector<Command>& commands) {
  SerialExecutor serial;
  for (int i = 0; i < 10; ++i) step(world, commands, serial);
  const std::uint64_t before = allocations();
  for (int i = 0; i < ticks; ++i) step(world, commands, serial);
  return allocations() - before;
}

TEST(StepAllocations, AreNoneInFreeFlight) {
  World world(built_in_scene("free:1000").value());
  EXPECT_GT(allocations(), 0u);  // the counter works
  EXPECT_EQ(allocations_of(world, 1000, {}), 0u);
}

TEST(StepAllocations, AreNoneWithContacts) {
  for (const char* scene :
       {"crates:20", "spheres:100", "boxes:30", "playground", "chain", "ragdolls:4", "cubes"}) {
    World world(built_in_scene(scene).value());
    SerialExecutor serial;
    // These ticks reach the maximum of sleeping bodies and of contacts per body. A new maximum
    // after them would allocate memory.
    for (int i = 0; i < 2600; ++i) step(world, {}, serial);
    EXPECT_EQ(allocations_of(world, 300, {}), 0u) << scene;
  }
}

// Hundreds of bodies at one point exceed the limit of contacts. Contacts then begin and end as the
// bodies fly apart.
TEST(StepAllocations, AreNoneWithMoreContactsThanThereMayBe) {
  for (const char* name : {"spheres:250", "boxes:250"}) {
    Scene scene = built_in_scene(name).value();
    for (std::size_t i = 0; i < 250; ++i) scene.bodies[i].position = {0, 5, 0};
    World world(scene);
    EXPECT_EQ(allocations_of(world, 60, {}), 0u) << name;
  }
}

TEST(StepAllocations, AreNoneWithForces) {
  for (const char* scene : {"springs:100", "tethers:100", "solar"}) {
    World world(built_in_scene(scene).value());
    EXPECT_EQ(allocations_of(world, 1000, {}), 0u) << scene;
  }
}

TEST(StepAllocations, AreNoneWhateverTheIntegrator) {
  for (const Integrator integrator : test::every_integrator()) {
    World world(test::scene_for(integrator, built_in_scene("tethers:100").value()));
    EXPECT_EQ(allocations_of(world, 100, {}), 0u) << name_of(integrator);
  }
}

// Gives every kind of command in each tick, in an order in which each command changes something.
void expect_none_with_commands(const Scene& scene) {
  World world(scene);
  const ClientId client{1};
  SerialExecutor serial;
  const std::vector<Command> join = {{kServer, {1}, command::Join{client, Role::admin}},
                                     {kServer, {2}, command::Join{{2}, Role::play}}};
  step(world, join, serial);
  const auto tick = [&](std::uint32_t i) {
    const float f = static_cast<float>(i % 2) + 1;
    const BodyId body{i % 51};  // 51 is odd, so `f` differs when a body is used again
    const BodyId spawned = make_body_id(100, world.controls().generations[100]);
    const Command commands[] = {
        {kServer, {1}, command::Leave{{2}}},
        {kServer, {2}, command::Join{{2}, Role::play}},
        {client, {1}, command::Thrust{body, {f, 0, 0}}},
        {client, {2}, command::Torque{body, {0, f, 0}}},
        {client, {3}, command::Impulse{body, {0, 0, f}}},
        {client, {4}, command::Grab{body, {0, 0, 0}, {f, 0, 0}}},
        {client, {5}, command::Move{{0, f, 0}}},
        {client, {6}, command::Release{}},
        {client, {7}, command::Spawn{0, {f, f, f}, {}}},
        {client, {8}, command::Remove{spawned}},
        {client, {9}, command::SetParameter{Parameter::gravity, {0, -f, 0}}},
    };
    step(world, commands, serial);
    return world.applied().size();
  };
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(tick(i), 11u);
  const std::uint64_t before = allocations();
  for (std::uint32_t i = 0; i < 1000; ++i) tick(i);
  EXPECT_EQ(allocations() - before, 0u);
}

TEST(StepAllocations, AreNoneWithCommands) {
  expect_none_with_commands(built_in_scene("free:100").value());
  Scene scene = built_in_scene("free:100").value();
  scene.integrator = Integrator::kinematic;
  expect_none_with_commands(scene);
}

}  // namespace
}  // namespace orrery
