// Tests that ticks with contacts depend only on the state, for images, threads and instruction
// sets.
#include "common/world/contact_tick.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <memory>

#include "common/core/hash.h"
#include "common/host/process/thread_pool.h"
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

const char* const kSmall[] = {"spheres:60", "boxes:40",  "crates:30", "domino",    "bullet",
                              "mesh:40",    "jumble:30", "chain",     "ragdolls:2"};

World world_of(const char* spec) { return World(built_in_scene(spec).value()); }

std::vector<std::uint8_t> image_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  return image;
}

TEST(ContactTick, TheHashIsTheStates) {
  SerialExecutor serial;
  for (const char* spec : kSmall) {
    World world = world_of(spec);
    for (int i = 0; i < 60; ++i) {
      ASSERT_EQ(world.hash(), state_hash(world, serial)) << spec << " tick " << i;
      step(world, {}, serial);
    }
    const physics::ContactSolver& solver = world.collision()->solver;
    EXPECT_GT(solver.contacts().size() + solver.joints().joints().size(), 5u) << spec;
  }
}

// At random ticks the image is restored into a world with another past. Both worlds then run 20
// ticks with the same commands. These push, hold, spawn and remove bodies with contacts, the floor
// included.
TEST(ContactTick, AnImageContinuesAsIfNeverStopped) {
  for (const char* spec : kSmall) {
    World world = world_of(spec);
    World other = world_of(spec);
    SerialExecutor serial;
    CommandStream commands(2026);
    CommandStream noise(7);
    SplitMix64 draw(2026);
    int restored = 0;
    for (int tick = 0; tick < 300; ++tick) {
      if (draw.below(15) == 0) {
        const std::vector<std::uint8_t> image = image_of(world);
        ASSERT_TRUE(restore_image(other, image).ok()) << spec << " tick " << tick;
        ASSERT_EQ(other.hash(), world.hash()) << spec << " tick " << tick;
        ASSERT_EQ(image_of(other), image) << spec << " tick " << tick;
        ++restored;
        for (int i = 0; i < 20; ++i) {
          const std::span<const Command> given = commands.next(world);
          step(world, given, serial);
          step(other, given, serial);
          ASSERT_EQ(other.hash(), world.hash()) << spec << " tick " << tick << " + " << i;
        }
      }
      step(world, commands.next(world), serial);
      step(other, noise.next(other), serial);
    }
    EXPECT_GT(restored, 5) << spec;
  }
}

// Towers of 20 and 7 crates, and a crate below one of 200 times its mass. The contacts of the first
// and the last are under load.
World world_of_loads() {
  Scene scene;
  scene.name = "loads";
  use_contacts(scene);
  BodyDef crate = shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {});
  const auto add = [&](double x, double y) {
    crate.position = {x, y, 0};
    scene.bodies.push_back(crate);
  };
  for (int i = 0; i < 20; ++i) add(0, 0.5 + i);
  for (int i = 0; i < 7; ++i) add(3, 0.5 + i);
  add(6, 0.5);
  crate.mass *= 200;
  crate.inertia = 200 * crate.inertia;
  add(6, 1.5);
  add_block(scene, {20, 0.5, 20}, {0, -0.5, 0});
  return World(scene);
}

// Contacts under load are no state: they follow from each image.
TEST(ContactTick, LoadsFollowFromTheImageOfEachTick) {
  SerialExecutor serial;
  std::vector<std::unique_ptr<host::ThreadPool>> pools;
  for (unsigned threads = 1; threads <= 16; ++threads) {
    pools.push_back(std::make_unique<host::ThreadPool>(threads));
  }
  World world = world_of_loads();
  World other = world_of_loads();
  for (int tick = 0; tick < 200; ++tick) {
    ASSERT_TRUE(restore_image(other, image_of(world)).ok()) << tick;
    step(world, {}, serial);
    step(other, {}, *pools[static_cast<std::size_t>(tick) % pools.size()]);
    ASSERT_EQ(other.hash(), world.hash()) << tick;
  }
  // Without help it would sink by 27 mm.
  EXPECT_GT(world.bodies().position(28).y, 1.485);
}

TEST(ContactTick, DoesNotDependOnTheThreads) {
  SerialExecutor serial;
  host::ThreadPool two(2);
  host::ThreadPool sixteen(16);
  for (const char* spec : {"spheres:200", "boxes:60", "crates:100", "chain", "ragdolls:9"}) {
    World a = world_of(spec);
    World b = world_of(spec);
    World c = world_of(spec);
    for (int i = 0; i < 40; ++i) {
      step(a, {}, serial);
      step(b, {}, two);
      step(c, {}, sixteen);
      ASSERT_EQ(a.hash(), b.hash()) << spec << " tick " << i;
      ASSERT_EQ(a.hash(), c.hash()) << spec << " tick " << i;
    }
  }
}

// Every instruction set of this machine gives the same bits.
TEST(ContactTick, DoesNotDependOnTheInstructionSet) {
  SerialExecutor serial;
  for (const char* spec :
       {"spheres:60", "boxes:40", "crates:30", "ragdolls:9", "chain", "jumble:20"}) {
    std::uint64_t expected = 0;
    for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      World world = world_of(spec);
      for (int i = 0; i < 120; ++i) step(world, {}, serial);
      if (expected == 0) expected = world.hash();
      EXPECT_EQ(world.hash(), expected) << spec << " " << hwy::TargetName(rest & -rest);
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

// A crate falls when the crate below it is removed.
TEST(ContactTick, ARemovedBodyCarriesNothingAnyMore) {
  World world = world_of("crates:3");
  SerialExecutor serial;
  for (int i = 0; i < 60; ++i) step(world, {}, serial);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  const double before = world.bodies().position(2).y;
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{0}}, 1)));
  for (int i = 0; i < 60; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies().position(2).y, before - 1, 0.02);
}

TEST(ContactTick, ASpawnedBodyLandsOnWhatIsThere) {
  World world = world_of("crates:1");
  SerialExecutor serial;
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{0, {0, 3, 0}, {}}, 1)));
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies().position(2).y, 1.5, 0.01);
  EXPECT_NEAR(world.bodies().position(0).y, 0.5, 0.01);
}

// A compound may be defined in any coordinates. It stays where the scene puts it, and the position
// of its body is its centre of mass.
TEST(ContactTick, ACompoundStandsWhereItIsPut) {
  Scene scene;
  scene.gravity = {0, -10, 0};
  scene.integrator = Integrator::semi_implicit_euler;
  scene.substeps = 4;
  physics::PartDef foot;
  foot.kind = physics::ShapeKind::box;
  foot.half_extents = {1, 0.25, 0.5};
  foot.pose.position = {0, 0.25, 0};
  physics::PartDef head = foot;
  head.half_extents = {0.25, 0.5, 0.5};
  head.pose.position = {0.75, 1, 0};
  scene.shapes.push_back({{foot, head}});
  physics::PartDef ground;
  ground.kind = physics::ShapeKind::plane;
  scene.shapes.push_back({{ground}});
  physics::ShapeSet shapes = make_shapes(scene).value();
  scene.bodies.resize(2);
  scene.bodies[0].shape = 0;
  scene.bodies[0].mass = shapes.shape(0).mass.mass;
  scene.bodies[0].inertia = shapes.shape(0).mass.inertia;
  scene.bodies[1].kind = BodyKind::anchor;
  scene.bodies[1].shape = 1;
  World world(scene);
  SerialExecutor serial;
  // The foot is 1 m^3 at (0, 0.25), the other part 0.5 m^3 at (0.75, 1).
  EXPECT_NEAR(world.bodies().position(0).x, 0.25, 1e-15);
  EXPECT_NEAR(world.bodies().position(0).y, 0.5, 1e-15);
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies().position(0).x, 0.25, 1e-3);
  EXPECT_NEAR(world.bodies().position(0).y, 0.5, 0.01);
  EXPECT_LT(length(world.bodies().velocity(0)), 1e-3);
}

// Five seconds of tumbling about the middle axis in free flight, in a scene with the contact
// solver.
TEST(ContactTick, TumblingKeepsItsEnergyAndMomentum) {
  Scene scene;
  use_contacts(scene);
  scene.gravity = {};
  scene.bodies.push_back(shaped_body(scene, add_box_shape(scene, {0.5, 0.3, 0.2}), {}));
  scene.bodies[0].angular_velocity = {0.1, 10, 0.1};
  World world(scene);
  const auto energy = [&] {
    const Vec3 m = world.bodies().angular_momentum(0);
    return 0.5 * dot(m, scaled(world.bodies().inverse_inertia(0), m));
  };
  const auto momentum = [&] {
    return rotate(world.bodies().orientation(0), world.bodies().angular_momentum(0));
  };
  const double energy_before = energy();
  const Vec3 momentum_before = momentum();
  SerialExecutor serial;
  double least_middle = 10;
  for (int tick = 0; tick < 300; ++tick) {
    step(world, {}, serial);
    ASSERT_NEAR(energy() / energy_before, 1, 1e-4) << tick;
    least_middle =
        std::min(least_middle,
                 scaled(world.bodies().inverse_inertia(0), world.bodies().angular_momentum(0)).y);
  }
  EXPECT_LT(least_middle, -9);  // it has flipped
  EXPECT_LT(length(momentum() - momentum_before), 1e-11 * length(momentum_before));
}

// Balls and boxes fly at a wall 0.1 m thick, one after the other. The wall is fixed.
TEST(ContactTick, NothingPassesThroughAThinWall) {
  for (const double speed : {30.0, 120.0, 500.0, 3000.0}) {
    Scene scene;
    use_contacts(scene);
    scene.gravity = {};
    add_block(scene, {30, 30, 0.05}, {0, 0, 0});
    const std::uint32_t shapes[] = {add_ball_shape(scene, 0.2),
                                    add_box_shape(scene, {0.3, 0.2, 0.1})};
    for (int i = 0; i < 40; ++i) {
      const Vec3 place{1.5 * (i % 8) - 6, 1.5 * (i / 8) - 4, -3 - 0.37 * i};
      scene.bodies.push_back(shaped_body(scene, shapes[i % 2], place));
      scene.bodies.back().velocity = {0, 0, speed};
    }
    scene.names.clear();
    World world(scene);
    SerialExecutor serial;
    for (int tick = 0; tick < 60; ++tick) {
      step(world, {}, serial);
      for (std::uint32_t slot = 1; slot <= 40; ++slot) {
        ASSERT_LT(world.bodies().position(slot).z, 0) << "speed " << speed << " tick " << tick;
      }
    }
    for (std::uint32_t slot = 1; slot <= 40; ++slot) {
      EXPECT_LT(world.bodies().velocity(slot).z, 1) << "speed " << speed << " slot " << slot;
    }
  }
}

// Returns a long bar of one or several parts that is thrown at the corner between a floor and a
// wall.
World thrown_bar(std::uint32_t parts, SplitMix64& draw) {
  constexpr double kHalf = 0.7071067811865476;
  Scene scene;
  use_contacts(scene);
  scene.shapes.emplace_back().parts.emplace_back().kind = physics::ShapeKind::plane;
  BodyDef floor;
  floor.kind = BodyKind::anchor;
  floor.shape = 0;
  BodyDef wall = floor;
  wall.orientation = {kHalf, 0, 0, kHalf};  // faces +z
  add_body(scene, "floor", floor);
  add_body(scene, "wall", wall);
  physics::ShapeDef& pieces = scene.shapes.emplace_back();
  for (std::uint32_t i = 0; i < parts; ++i) {
    physics::PartDef& piece = pieces.parts.emplace_back();
    piece.kind = physics::ShapeKind::box;
    piece.half_extents = {1.2 / parts, 0.08, 0.08};
    piece.pose.position.x = (2.0 * i + 1 - parts) * piece.half_extents.x;
  }
  BodyDef bar = shaped_body(scene, 1, {0, 0.5, 0.5});
  bar.velocity = {10 * draw.symmetric(), -10 - 10 * draw.symmetric(), -20 - 20 * draw.symmetric()};
  bar.orientation =
      normalized({draw.symmetric(), 0.05 * draw.symmetric(), 0.05 * draw.symmetric(), 1});
  add_body(scene, "bar", bar);
  return World(std::move(scene));
}

TEST(ContactTick, ABarInACornerGainsNoEnergy) {
  SerialExecutor serial;
  SplitMix64 draw(250);
  for (std::uint32_t i = 0; i < 600; ++i) {
    World world = thrown_bar(i % 2 ? 3 : 1, draw);
    // The kinetic energy of the bar, and the potential energy of its height.
    const double thrown =
        report_contacts(world, serial).kinetic_energy +
        kEarthGravity * world.bodies().position(2).y / world.bodies().inverse_mass(2);
    for (int tick = 0; tick < 60; ++tick) {
      step(world, {}, serial);
      ASSERT_LT(report_contacts(world, serial).kinetic_energy, 1.01 * thrown)
          << "throw " << i << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace orrery
