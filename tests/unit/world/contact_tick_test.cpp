// Tests that ticks with contacts depend only on the state, for images, threads and instruction
// sets.
#include "common/world/contact_tick.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

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
      ASSERT_EQ(world.hash, state_hash(world, serial)) << spec << " tick " << i;
      step(world, {}, serial);
    }
    const physics::ContactSolver& solver = world.collision->solver;
    EXPECT_GT(solver.contacts().size() + solver.joints().joints().size(), 5u) << spec;
  }
}

// At random ticks the image is restored into a world with another past. Both worlds then continue
// with the same commands. These push, hold, spawn and remove bodies with contacts, the floor
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
        ASSERT_EQ(other.hash, world.hash) << spec << " tick " << tick;
        ASSERT_EQ(image_of(other), image) << spec << " tick " << tick;
        ++restored;
        for (int i = 0; i < 20; ++i) {
          const std::span<const Command> given = commands.next(world);
          step(world, given, serial);
          step(other, given, serial);
          ASSERT_EQ(other.hash, world.hash) << spec << " tick " << tick << " + " << i;
        }
      }
      step(world, commands.next(world), serial);
      step(other, noise.next(other), serial);
    }
    EXPECT_GT(restored, 5) << spec;
  }
}

TEST(ContactTick, DoesNotDependOnTheThreads) {
  SerialExecutor serial;
  host::ThreadPool two(2);
  host::ThreadPool eight(8);
  for (const char* spec : {"spheres:200", "boxes:60", "chain", "ragdolls:9"}) {
    World a = world_of(spec);
    World b = world_of(spec);
    World c = world_of(spec);
    for (int i = 0; i < 40; ++i) {
      step(a, {}, serial);
      step(b, {}, two);
      step(c, {}, eight);
      ASSERT_EQ(a.hash, b.hash) << spec << " tick " << i;
      ASSERT_EQ(a.hash, c.hash) << spec << " tick " << i;
    }
  }
}

// Every instruction set of this machine gives the same bits.
TEST(ContactTick, DoesNotDependOnTheInstructionSet) {
  SerialExecutor serial;
  for (const char* spec : {"spheres:60", "boxes:40"}) {
    std::uint64_t expected = 0;
    for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      World world = world_of(spec);
      for (int i = 0; i < 120; ++i) step(world, {}, serial);
      if (expected == 0) expected = world.hash;
      EXPECT_EQ(world.hash, expected) << spec << " " << hwy::TargetName(rest & -rest);
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
  const double before = world.bodies.position(2).y;
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{0}}, 1)));
  for (int i = 0; i < 60; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies.position(2).y, before - 1, 0.02);
}

TEST(ContactTick, ASpawnedBodyLandsOnWhatIsThere) {
  World world = world_of("crates:1");
  SerialExecutor serial;
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{0, {0, 3, 0}, {}}, 1)));
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies.position(2).y, 1.5, 0.01);
  EXPECT_NEAR(world.bodies.position(0).y, 0.5, 0.01);
}

// A compound may be defined in any coordinates. It stays where the scene puts it, turns about its
// own centre of mass, and its tether pulls at the scene's point.
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
  EXPECT_NEAR(world.bodies.position(0).x, 0.25, 1e-15);
  EXPECT_NEAR(world.bodies.position(0).y, 0.5, 1e-15);
  for (int i = 0; i < 120; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies.position(0).x, 0.25, 1e-3);
  EXPECT_NEAR(world.bodies.position(0).y, 0.5, 0.01);
  EXPECT_LT(length(world.bodies.velocity(0)), 1e-3);
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
    const Vec3 m = world.bodies.angular_momentum(0);
    return 0.5 * dot(m, scaled(world.bodies.inverse_inertia(0), m));
  };
  const auto momentum = [&] {
    return rotate(world.bodies.orientation(0), world.bodies.angular_momentum(0));
  };
  const double energy_before = energy();
  const Vec3 momentum_before = momentum();
  SerialExecutor serial;
  double least_middle = 10;
  for (int tick = 0; tick < 300; ++tick) {
    step(world, {}, serial);
    ASSERT_NEAR(energy() / energy_before, 1, 1e-4) << tick;
    least_middle = std::min(
        least_middle, scaled(world.bodies.inverse_inertia(0), world.bodies.angular_momentum(0)).y);
  }
  EXPECT_LT(least_middle, -9);  // it has flipped
  EXPECT_LT(length(momentum() - momentum_before), 1e-11 * length(momentum_before));
}

// Flips each bit, with a valid checksum. The image is refused, or it restores to a state that
// writes exactly these bytes and can be stepped.
TEST(ContactTick, DamagedContactsAreRefusedOrSound) {
  World world = world_of("boxes:6");
  SerialExecutor serial;
  for (int i = 0; i < 60; ++i) step(world, {}, serial);
  const std::vector<std::uint8_t> sound = image_of(world);
  World other = world_of("boxes:6");
  SplitMix64 draw(11);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> image = sound;
    const std::size_t contacts_at = image.size() / 2;
    const auto at = contacts_at + draw.below(static_cast<std::uint32_t>(image.size() / 2 - 8));
    image[at] ^= static_cast<std::uint8_t>(1u << draw.below(8));
    seal(image);
    if (!restore_image(other, image)) {
      ++refused;
    } else {
      ASSERT_EQ(image_of(other), image) << "round " << round;
      for (int i = 0; i < 3; ++i) step(other, {}, serial);
      ASSERT_TRUE(finite(other)) << "round " << round;
    }
  }
  std::printf("%d of 3000 refused\n", refused);
  EXPECT_GT(refused, 100);
}

TEST(ContactTick, AnImageInWhichAnAnchorMovesIsRefused) {
  World world = world_of("crates:3");
  World other = world_of("crates:3");
  ASSERT_EQ(world.scene.bodies[3].kind, BodyKind::anchor);
  ASSERT_TRUE(restore_image(other, image_of(world)));
  world.bodies.set_velocity(3, {0, 0, -1});
  EXPECT_FALSE(restore_image(other, image_of(world)));
}

// An image may contain a state that no session reaches: bodies far below the ground, or speeds near
// the largest number.
TEST(ContactTick, NumbersFarBeyondAllScenesStayFinite) {
  Scene scene = built_in_scene("crates:3").value();
  physics::PartDef ground;
  ground.kind = physics::ShapeKind::plane;
  scene.bodies[3].shape = add_shape(scene, ground);
  SerialExecutor serial;
  for (const double far : {1e15, 1e25, 1e30, 1e38, 1e45, 1e59}) {
    World world(scene);
    World other(scene);
    world.bodies.set_position(0, {far, -far, 0});
    world.bodies.set_velocity(1, {1e9, -1e9, 1e9});
    ASSERT_EQ(restore_image(other, image_of(world)).ok(), far < 1e39) << far;
    for (int tick = 0; tick < 10; ++tick) {
      step(other, {}, serial);
      ASSERT_TRUE(finite(other)) << far << ", tick " << tick;
    }
  }
}

TEST(ContactTick, ImagesOfWhatIsTooFastAreRefused) {
  World world(built_in_scene("crates:3").value());
  World other(world.scene);
  world.bodies.set_velocity(1, {0, -1.01e9, 0});
  EXPECT_FALSE(restore_image(other, image_of(world)).ok());
}

// In one tick this gravity adds more speed than a scene may start with.
TEST(ContactTick, AnyGravityStaysFinite) {
  for (const std::uint64_t tick_time : {1ull, 32ull, 1000ull, 500000ull}) {
    for (const double scale : {1.0, 1e3, 1e6}) {
      Scene scene = built_in_scene("crates:3").value();
      scene.gravity = {3e8, -1e9, 1e5};
      scene.tick_time_numerator = tick_time;
      scene.tick_time_denominator = 1;
      for (BodyDef& body : scene.bodies) {
        if (body.kind == BodyKind::rigid) body.gravity_scale = scale;
      }
      ASSERT_TRUE(validate(scene).ok());
      World world(scene);
      SerialExecutor serial;
      for (int tick = 0; tick < 20; ++tick) step(world, {}, serial);
      EXPECT_TRUE(finite(world)) << tick_time << ", " << scale;
    }
  }
}

// No useful scene has these extremes. Their results stay bounded.
TEST(ContactTick, ExtremesStayFinite) {
  struct {
    const char* what;
    void (*change)(Scene&);
  } const extremes[] = {
      {"all in one place",
       [](Scene& s) {
         for (std::size_t i = 0; i < 20; ++i) s.bodies[i].position = {0, 3, 0};
       }},
      {"a million times as heavy as what is below",
       [](Scene& s) {
         for (std::size_t i = 0; i < 20; i += 2) {
           s.bodies[i].mass *= 1e-6;
           s.bodies[i].inertia = 1e-6 * s.bodies[i].inertia;
         }
       }},
      {"as fast as may be",
       [](Scene& s) {
         for (std::size_t i = 0; i < 20; ++i) {
           s.bodies[i].velocity = {i % 2 ? 1e9 : -1e9, -1e9, 0};
           s.bodies[i].angular_velocity = {1e6, -1e6, 1e6};
         }
       }},
      {"the heaviest and the lightest, as fast, rough and bouncy as may be",
       [](Scene& s) {
         s.shapes[0].parts[0].material = {1000, 1, 1e9};
         for (std::size_t i = 0; i < 20; ++i) {
           const double mass = i % 2 ? 1e15 : 1e-12;
           s.bodies[i].inertia = (mass / s.bodies[i].mass) * s.bodies[i].inertia;
           s.bodies[i].mass = mass;
           s.bodies[i].velocity = {0, i % 3 ? 1e9 : -1e9, 0};
         }
       }},
      {"the heaviest against each other",
       [](Scene& s) {
         for (std::size_t i = 0; i < 20; ++i) {
           s.bodies[i].inertia = (1e15 / s.bodies[i].mass) * s.bodies[i].inertia;
           s.bodies[i].mass = 1e15;
           s.bodies[i].velocity = {0, i % 2 ? -1e9 : 1e9, 0};
         }
       }},
      {"as far as may be",
       [](Scene& s) {
         for (std::size_t i = 0; i < 20; ++i) s.bodies[i].position.x += 1e12 - 100;
       }},
      {"under the greatest gravity",
       [](Scene& s) {
         s.gravity = {0, -1e9, 1e9};
       }},
  };
  SerialExecutor serial;
  for (const auto& extreme : extremes) {
    Scene scene = built_in_scene("crates:20").value();
    extreme.change(scene);
    ASSERT_TRUE(validate(scene)) << extreme.what;
    World world(scene);
    World other(scene);
    for (int i = 0; i < 300; ++i) {
      step(world, {}, serial);
      ASSERT_TRUE(finite(world)) << extreme.what << ", tick " << i;
      if (i > 5 && i % 50 != 0) continue;
      const Status restored = restore_image(other, image_of(world));
      ASSERT_TRUE(restored) << extreme.what << ", tick " << i << ": " << restored.error().message;
      ASSERT_EQ(other.hash, world.hash) << extreme.what << ", tick " << i;
    }
  }
}

// Balls and boxes fly at a wall of 0.1 m, one after the other. The wall stays in place.
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
        ASSERT_LT(world.bodies.position(slot).z, 0) << "speed " << speed << " tick " << tick;
      }
    }
    for (std::uint32_t slot = 1; slot <= 40; ++slot) {
      EXPECT_LT(world.bodies.velocity(slot).z, 1) << "speed " << speed << " slot " << slot;
    }
  }
}

// A long bar of one or several parts is thrown at a floor and a wall. They stop its middle and push
// its ends.
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
    // Includes the potential energy of its height.
    const double thrown = report_contacts(world, serial).kinetic_energy +
                          kEarthGravity * world.bodies.position(2).y / world.bodies.inverse_mass(2);
    for (int tick = 0; tick < 60; ++tick) {
      step(world, {}, serial);
      ASSERT_LT(report_contacts(world, serial).kinetic_energy, 1.01 * thrown)
          << "throw " << i << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace orrery
