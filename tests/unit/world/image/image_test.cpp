// Tests that an image restores every bit of a world, and that damaged images are refused.
#include "common/world/image/image.h"

#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"
#include "tests/unit/world/image/forged_image.h"

namespace orrery {
namespace {

using namespace test;

// At random ticks the image is saved and restored into a world with another past. Both worlds then
// run 20 ticks with the same commands.
void expect_to_continue(const Scene& scene, std::uint64_t seed) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  World world(scene);
  World other(scene);
  SerialExecutor serial;
  RandomCommands random(seed);
  RandomCommands noise(seed + 1000);
  SplitMix64 draw(seed);
  for (int tick = 0; tick < 600; ++tick) {
    if (draw.below(20) == 0) {
      const std::vector<std::uint8_t> image = image_of(world);
      ASSERT_TRUE(restore_image(other, image).ok());
      ASSERT_EQ(other.hash(), world.hash());
      ASSERT_EQ(other.tick(), world.tick());
      ASSERT_EQ(image_of(other), image);
      for (int i = 0; i < 20; ++i) {
        const std::vector<Command> commands = random.next(world);
        step(world, commands, serial);
        step(other, commands, serial);
        ASSERT_EQ(other.hash(), world.hash()) << "seed " << seed << " tick " << tick;
        ASSERT_EQ(other.applied().size(), world.applied().size());
      }
    }
    step(world, random.next(world), serial);
    step(other, noise.next(other), serial);
  }
}

TEST(Image, ContinuesAsIfNeverStopped) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_to_continue(small_scene(), seed);
}

// The kinematic integrators must rebuild their coefficients from the state. tcv-full makes a
// special first step in tick 0. It must not make it again after a restore.
TEST(Image, ContinuesAsIfNeverStoppedByOtherMethods) {
  for (const Integrator integrator : {Integrator::kinematic, Integrator::tcv_full}) {
    SCOPED_TRACE(name_of(integrator));
    for (std::uint64_t seed = 6; seed <= 7; ++seed) {
      expect_to_continue(scene_for(integrator, small_scene()), seed);
    }
  }
}

// The world holds a thrust on a body in a slot that the image does not have. After the image is
// restored, this thrust must not move a new body in that slot.
TEST(Image, LeavesNothingOfThrustsOnBodiesThatItDoesNotHave) {
  Scene scene = scene_for(Integrator::kinematic, small_scene());
  World world(scene);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  const std::vector<std::uint8_t> image = image_of(world);
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{kPoint, {1, 2, 3}, {}})));
  const BodyId spawned = body_id(world, kSmallBodies);
  ASSERT_TRUE(try_command(world, give(1, command::Thrust{spawned, {50, 0, 0}})));
  ASSERT_TRUE(restore_image(world, image).ok());
  SerialExecutor serial;
  step(world, {}, serial);
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{kAnchor, {1, 2, 3}, {}})));
  EXPECT_EQ(world.bodies().velocity(kSmallBodies), Vec3{});
  EXPECT_EQ(world.bodies().position(kSmallBodies), (Vec3{1, 2, 3}));
}

TEST(Image, RestoresEveryBuiltInScene) {
  SerialExecutor serial;
  for (const BuiltInScene& built_in : built_in_scenes()) {
    World world(built_in_scene(built_in.name).value());
    for (int i = 0; i < 30; ++i) step(world, {}, serial);
    World fresh(built_in_scene(built_in.name).value());
    ASSERT_TRUE(restore_image(fresh, image_of(world)).ok()) << built_in.name;
    EXPECT_EQ(fresh.hash(), world.hash()) << built_in.name;
    step(world, {}, serial);
    step(fresh, {}, serial);
    EXPECT_EQ(fresh.hash(), world.hash()) << built_in.name;
  }
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
  EXPECT_EQ(image_of(world), before);  // unchanged
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

// No session reaches angular momenta beyond the bound. Much larger ones would overflow in the next
// tick.
TEST(Image, AngularMomentaAreBounded) {
  const World busy = busy_world();
  const Layout at{busy};
  const auto momentum = [&](std::uint32_t slot) {
    const auto field = static_cast<std::size_t>(physics::BodyField::angular_momentum_x);
    return at.state + (field * busy.bodies().slots() + slot) * sizeof(double);
  };
  EXPECT_TRUE(restores_with(momentum(kOwned), 3 * limits::kAngularSpeedMax));
  EXPECT_FALSE(restores_with(momentum(kOwned), 12 * limits::kAngularSpeedMax));
  EXPECT_FALSE(restores_with(momentum(kOwned), -1e39));
  EXPECT_FALSE(restores_with(momentum(kPoint), 1e-9)) << "a point mass does not turn";
}

// Overwrites a few bytes: anywhere, in the list of slots, or in the exponent of a number.
void damage(std::vector<std::uint8_t>& image, const Layout& at, SplitMix64& draw) {
  const auto below = [&](std::size_t count) {
    return std::size_t{draw.below(static_cast<std::uint32_t>(count))};
  };
  for (std::uint32_t n = 1 + draw.below(3); n > 0; --n) {
    const std::uint32_t aim = draw.below(3);
    std::size_t i = below(image.size());
    if (aim == 1) i = at.slots + below(at.state - at.slots);
    if (aim == 2) i = at.state + 8 * below((image.size() - at.state) / 8) + 6 + draw.below(2);
    image[i] = static_cast<std::uint8_t>(draw.next());
  }
}

// Forged bytes are refused, or restore to a world that saves exactly these bytes and stays finite.
TEST(Image, ForgedBytesNeverBreakAWorld) {
  const World busy = busy_world();
  const Layout at{busy};
  const std::vector<std::uint8_t> image = without_checksum(busy);
  SplitMix64 draw(99);
  SerialExecutor serial;
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::uint8_t> forged = image;
    damage(forged, at, draw);
    World world(small_scene());
    if (!restores(world, forged)) continue;
    ++accepted;
    ASSERT_EQ(without_checksum(world), forged) << i;
    for (int tick = 0; tick < 3; ++tick) step(world, {}, serial);
    ASSERT_TRUE(finite(world)) << i;
  }
  std::printf("seed 99: %d of 20000 forged images restored\n", accepted);
  EXPECT_GT(accepted, 1000);
}

TEST(Image, OfASceneWithOtherBodiesIsRefused) {
  World small(small_scene());
  World solar(built_in_scene("free:100").value());
  EXPECT_FALSE(restore_image(small, image_of(solar)).ok());
  EXPECT_FALSE(restore_image(solar, image_of(small)).ok());
}

}  // namespace
}  // namespace orrery
