// Tests that ticks with contacts stay finite and bounded for extreme scenes and images.
#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/host/process/thread_pool.h"
#include "common/world/contact_tick.h"
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

World world_of(const char* spec) { return World(built_in_scene(spec).value()); }

std::vector<std::uint8_t> image_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  return image;
}

// Flips one random bit in the second half of an image, where the contacts are, and adds a valid
// checksum, 3,000 times. The image is refused, or restores to a state that saves exactly these
// bytes and can be stepped.
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
  ASSERT_EQ(world.scene().bodies[3].kind, BodyKind::anchor);
  ASSERT_TRUE(restore_image(other, image_of(world)));
  FaultInjector(world).state().bodies.set_velocity(3, {0, 0, -1});
  EXPECT_FALSE(restore_image(other, image_of(world)));
}

// An image may contain a state that no session reaches: bodies far below the ground, together with
// speeds at the limit.
TEST(ContactTick, NumbersFarBeyondAllScenesStayFinite) {
  Scene scene = built_in_scene("crates:3").value();
  physics::PartDef ground;
  ground.kind = physics::ShapeKind::plane;
  scene.bodies[3].shape = add_shape(scene, ground);
  SerialExecutor serial;
  for (const double far : {1e15, 1e25, 1e30, 1e38, 1e45, 1e59}) {
    World world(scene);
    World other(scene);
    FaultInjector(world).state().bodies.set_position(0, {far, -far, 0});
    FaultInjector(world).state().bodies.set_velocity(1, {1e9, -1e9, 1e9});
    ASSERT_EQ(restore_image(other, image_of(world)).ok(), far < 1e39) << far;
    for (int tick = 0; tick < 10; ++tick) {
      step(other, {}, serial);
      ASSERT_TRUE(finite(other)) << far << ", tick " << tick;
    }
  }
}

TEST(ContactTick, ImagesOfWhatIsTooFastAreRefused) {
  World world(built_in_scene("crates:3").value());
  World other(world.scene());
  FaultInjector(world).state().bodies.set_velocity(1, {0, -1.01e9, 0});
  EXPECT_FALSE(restore_image(other, image_of(world)).ok());
}

// In one tick this gravity adds as much speed as a scene may start with, or more.
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

// No useful scene has these extremes. Their states stay finite, and their images can be restored.
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
      ASSERT_TRUE(restored) << extreme.what << ", tick " << i << ": " << restored.error().text();
      ASSERT_EQ(other.hash(), world.hash()) << extreme.what << ", tick " << i;
    }
  }
}

}  // namespace
}  // namespace orrery
