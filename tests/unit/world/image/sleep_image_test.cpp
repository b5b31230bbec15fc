// Tests that an image keeps the sleep of bodies, and that damaged sleep is refused or harmless.
#include "common/world/image/sleep_image.h"

#include <gtest/gtest.h>

#include <string>

#include "common/core/hash.h"
#include "common/host/process/thread_pool.h"
#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/sleep.h"
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

// Returns two ragdolls with strong drag, so that they come to rest soon.
Scene lying_dolls() {
  Scene scene = sleepy("ragdolls:2");
  for (BodyDef& body : scene.bodies) {
    if (is_dynamic(body.kind)) body.linear_drag = 5 * body.mass;
  }
  return scene;
}

// At random ticks the image is restored into a world with another past. Both worlds then run 20
// ticks with the same commands. Most ticks have no command, so that bodies come to rest.
TEST(Sleep, AnImageContinuesAsIfNeverStopped) {
  SerialExecutor serial;
  for (const char* spec :
       {"crates:30", "spheres:40", "boxes:25", "domino", "mesh:20", "cubes", "dolls", "hanging"}) {
    const std::string name = spec;
    const Scene scene = name == "hanging" ? hanging_crates()
                        : name == "dolls" ? lying_dolls()
                                          : sleepy(spec);
    World world(scene);
    World other(scene);
    CommandStream commands(2026);
    CommandStream noise(7);
    SplitMix64 draw(2026);
    std::uint32_t slept = 0;
    for (int tick = 0; tick < 300; ++tick) {
      if (draw.below(15) == 0) {
        const std::vector<std::uint8_t> image = image_of(world);
        ASSERT_TRUE(restore_image(other, image).ok()) << spec << " tick " << tick;
        ASSERT_EQ(other.hash(), world.hash()) << spec << " tick " << tick;
        ASSERT_EQ(image_of(other), image) << spec << " tick " << tick;
        slept += sleepers(world);
        for (int i = 0; i < 20; ++i) {
          const bool busy = draw.below(30) == 0;
          const auto given = busy ? commands.next(world) : std::span<const Command>{};
          step(world, given, serial);
          step(other, given, serial);
          ASSERT_EQ(world.hash(), state_hash(world, serial)) << spec << " tick " << tick;
          ASSERT_EQ(other.hash(), world.hash()) << spec << " tick " << tick << " + " << i;
        }
      }
      step(world, {}, serial);
      step(other, noise.next(other), serial);
    }
    std::printf("%s: %u asleep in the images\n", spec, slept);
    EXPECT_GT(slept, 5u) << spec;
  }
}

// Returns two stacks of crates, bodies 0 to 2 and bodies 3 to 5, on a floor, body 6.
Scene two_stacks() {
  Scene scene = sleepy("crates:20");
  std::erase_if(scene.bodies, [](const BodyDef& body) { return body.position.y > 3; });
  return scene;
}

// Flips each bit of the sleep state. The image is refused with a reason, or restores to a state
// that can be stepped.
TEST(Sleep, DamagedSleepIsRefusedOrSound) {
  World world(two_stacks());
  SerialExecutor serial;
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  run_until_asleep(world, 6);
  ASSERT_TRUE(try_command(world, give(1, command::Thrust{BodyId{3}, {1, 0, 0}})));
  const std::vector<std::uint8_t> sound = image_of(world);
  World other(world.scene());
  const std::size_t words_at = sound.size() - 8 - 4 * world.bodies().slots();
  int refused = 0;
  for (std::size_t bit = 8 * words_at; bit < 8 * (sound.size() - 8); ++bit) {
    std::vector<std::uint8_t> image = sound;
    image[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    seal(image);
    if (const Status status = restore_image(other, image); !status) {
      ++refused;
      EXPECT_NE(status.error().text().find("impossible state: "), std::string::npos);
    } else {
      for (int i = 0; i < 3; ++i) step(other, {}, serial);
      ASSERT_TRUE(finite(other)) << "bit " << bit;
    }
  }
  std::printf("%d refused\n", refused);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace orrery
