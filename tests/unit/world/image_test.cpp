// Owns the tests of the image: exact, complete, and proof against damage.
#include "common/world/image.h"

#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/world/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

std::vector<std::uint8_t> image_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  return image;
}

// At random ticks the image is saved and put into a world with another past; both then go on with
// the same commands.
TEST(Image, ContinuesAsIfNeverStopped) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    World world(small_scene());
    World other(small_scene());
    SerialExecutor serial;
    RandomCommands random(seed);
    RandomCommands noise(seed + 1000);
    SplitMix64 draw(seed);
    for (int tick = 0; tick < 600; ++tick) {
      if (draw.below(20) == 0) {
        const std::vector<std::uint8_t> image = image_of(world);
        ASSERT_TRUE(restore_image(other, image).ok());
        ASSERT_EQ(other.hash, world.hash);
        ASSERT_EQ(other.tick, world.tick);
        ASSERT_EQ(image_of(other), image);
        for (int i = 0; i < 20; ++i) {
          const std::vector<Command> commands = random.next(world);
          step(world, commands, serial);
          step(other, commands, serial);
          ASSERT_EQ(other.hash, world.hash) << "seed " << seed << " tick " << tick;
          ASSERT_EQ(other.applied.size(), world.applied.size());
        }
      }
      step(world, random.next(world), serial);
      step(other, noise.next(other), serial);
    }
  }
}

TEST(Image, RestoresEveryBuiltInScene) {
  SerialExecutor serial;
  for (const BuiltInScene& built_in : built_in_scenes()) {
    World world(built_in_scene(built_in.name).value());
    for (int i = 0; i < 30; ++i) step(world, {}, serial);
    World fresh(built_in_scene(built_in.name).value());
    ASSERT_TRUE(restore_image(fresh, image_of(world)).ok()) << built_in.name;
    EXPECT_EQ(fresh.hash, world.hash) << built_in.name;
    step(world, {}, serial);
    step(fresh, {}, serial);
    EXPECT_EQ(fresh.hash, world.hash) << built_in.name;
  }
}

// A world with clients, grabs, thrusts and a reused slot.
World busy_world() {
  World world(small_scene());
  SerialExecutor serial;
  const Command joins[] = {join(1, Role::play, 1), join(2, Role::admin, 2)};
  step(world, joins, serial);
  const Command commands[] = {
      give(1, command::Grab{BodyId{kPoint}, {0.25f, 0, 0}, {1, 2, 3}}, 1),
      give(1, command::Thrust{BodyId{kOwned}, {1, 0, 0}}, 2),
      give(2, command::Remove{BodyId{kGuarded}}, 1),
      give(2, command::Remove{BodyId{kFreeBox}}, 2),
      give(2, command::Spawn{kUnowned, {1, 1, 1}, {0, 1, 0}}, 3),
  };
  step(world, commands, serial);
  EXPECT_EQ(world.applied.size(), 5u);
  return world;
}

TEST(Image, ReusedSlotsKeepTheirGenerationPrototypeAndOwner) {
  const World world = busy_world();
  World other(small_scene());
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  EXPECT_EQ(other.controls.generations, world.controls.generations);
  EXPECT_EQ(other.controls.prototypes, world.controls.prototypes);
  EXPECT_EQ(other.controls.owners, world.controls.owners);
  EXPECT_EQ(body_id(other, kFreeBox), make_body_id(kFreeBox, 1));
  EXPECT_FALSE(other.bodies.alive(kGuarded));
}

TEST(Image, EveryDamagedBitIsFound) {
  std::vector<std::uint8_t> image = image_of(busy_world());
  World world(small_scene());
  SerialExecutor serial;
  step(world, {}, serial);
  const std::vector<std::uint8_t> before = image_of(world);
  for (std::size_t i = 0; i < image.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      image[i] = static_cast<std::uint8_t>(image[i] ^ 1 << bit);
      ASSERT_FALSE(restore_image(world, image).ok()) << "byte " << i << " bit " << bit;
      image[i] = static_cast<std::uint8_t>(image[i] ^ 1 << bit);
    }
  }
  EXPECT_EQ(image_of(world), before);  // as it was
  EXPECT_TRUE(restore_image(world, image).ok());
}

TEST(Image, CutOrLengthenedBytesAreFound) {
  std::vector<std::uint8_t> image = image_of(busy_world());
  World world(small_scene());
  for (std::size_t size = 0; size < image.size(); ++size) {
    ASSERT_FALSE(restore_image(world, Bytes(image).first(size)).ok()) << size;
  }
  image.push_back(0);
  EXPECT_FALSE(restore_image(world, image).ok());
}

// Damage with a checksum that fits: whatever the bytes are, they are refused, or give a world that
// can be stepped.
TEST(Image, ForgedBytesNeverBreakAWorld) {
  const std::vector<std::uint8_t> image = image_of(busy_world());
  SplitMix64 draw(99);
  SerialExecutor serial;
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::uint8_t> forged(image.begin(), image.end() - 8);
    for (std::uint32_t n = 1 + draw.below(3); n > 0; --n) {
      const std::uint32_t at = draw.below(static_cast<std::uint32_t>(forged.size()));
      forged[at] = static_cast<std::uint8_t>(draw.next());
    }
    const std::uint64_t sum = checksum(forged);
    ByteWriter(forged).u64(sum);
    World world(small_scene());
    if (!restore_image(world, forged).ok()) continue;
    ++accepted;
    for (int tick = 0; tick < 3; ++tick) step(world, {}, serial);
  }
  std::printf("%d of 20000 forged images restored\n", accepted);
  EXPECT_GT(accepted, 0);
}

TEST(Image, OfASceneWithOtherBodiesIsRefused) {
  World small(small_scene());
  World solar(built_in_scene("free:100").value());
  EXPECT_FALSE(restore_image(small, image_of(solar)).ok());
  EXPECT_FALSE(restore_image(solar, image_of(small)).ok());
}

}  // namespace
}  // namespace orrery
