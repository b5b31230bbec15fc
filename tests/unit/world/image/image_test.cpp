// Tests that an image restores every bit of a world, and that damaged images are refused.
#include "common/world/image/image.h"

#include <gtest/gtest.h>

#include <bit>

#include "common/core/hash.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
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

// At random ticks the image is saved and restored into a world with another past. Both worlds then
// continue with the same commands.
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

TEST(Image, ContinuesAsIfNeverStopped) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_to_continue(small_scene(), seed);
}

// The kinematic integrators must rebuild their coefficients from the state. tcv-full must start in
// tick 0 only.
TEST(Image, ContinuesAsIfNeverStoppedByOtherMethods) {
  for (const Integrator integrator : {Integrator::kinematic, Integrator::tcv_full}) {
    SCOPED_TRACE(name_of(integrator));
    for (std::uint64_t seed = 6; seed <= 7; ++seed) {
      expect_to_continue(scene_for(integrator, small_scene()), seed);
    }
  }
}

// A world has pushed a body in a slot that the image does not have. After the image is restored, a
// body placed in that slot must have the scene's state.
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
  EXPECT_EQ(world.bodies.velocity(kSmallBodies), Vec3{});
  EXPECT_EQ(world.bodies.position(kSmallBodies), (Vec3{1, 2, 3}));
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

// Returns a world with clients, grabs, thrusts and a reused slot.
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

// --- forged images: a valid checksum over wrong content ---

// Offsets of the parts of an image. The first one follows magic, version, tick, slots, gravity and
// the constant.
constexpr std::size_t kClients = 4 + 4 + 8 + 4 + 4 * 8;
constexpr std::size_t kClientBytes = 4 + 1 + 1 + 4 + 6 * 4;
constexpr std::size_t kThrustBytes = 4 + 4 + 6 * 4;

struct Layout {
  explicit Layout(const World& world) {
    thrusts = kClients + 4 + world.controls.clients.size() * kClientBytes;
    slots = thrusts + 4 + world.controls.thrusts.size() * kThrustBytes + 8 * world.bodies.tiles();
    state =
        image_of(world).size() - 8 - physics::kStateFields * world.bodies.slots() * sizeof(double);
  }

  std::size_t thrusts;  // the count, then the thrusts
  std::size_t slots;    // the count, then the slots that differ from the scene
  std::size_t state;    // the numbers
};

std::vector<std::uint8_t> without_checksum(const World& world) {
  std::vector<std::uint8_t> image = image_of(world);
  image.erase(image.end() - 8, image.end());
  return image;
}

// Returns true if the image is accepted, after it gets a valid checksum.
bool restores(World& world, std::vector<std::uint8_t> image) {
  const std::uint64_t sum = checksum(image);
  ByteWriter(image).u64(sum);
  return restore_image(world, image).ok();
}

template <class Value>
void overwrite(std::vector<std::uint8_t>& image, std::size_t at, Value value) {
  std::vector<std::uint8_t> bytes;
  ByteWriter out(bytes);
  if constexpr (sizeof value == 8) out.u64(std::bit_cast<std::uint64_t>(value));
  if constexpr (sizeof value == 4) out.u32(std::bit_cast<std::uint32_t>(value));
  if constexpr (sizeof value == 2) out.u16(std::bit_cast<std::uint16_t>(value));
  ASSERT_LE(at + bytes.size(), image.size());
  std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(at));
}

// Returns true if the busy world's image is accepted with one value replaced.
template <class Value>
bool restores_with(std::size_t at, Value value) {
  std::vector<std::uint8_t> image = without_checksum(busy_world());
  overwrite(image, at, value);
  World world(small_scene());
  return restores(world, image);
}

TEST(Image, ClientsAndThrustsAreWithinTheLimitsOfCommands) {
  const Layout at{busy_world()};
  const std::size_t second = kClients + 4 + kClientBytes;
  const std::size_t target = kClients + 4 + 4 + 1 + 1 + 4 + 3 * 4;
  const std::size_t thrust = at.thrusts + 4;
  EXPECT_TRUE(restores_with(kClients + 4, std::uint32_t{1}));
  EXPECT_FALSE(restores_with(kClients + 4, std::uint32_t{0})) << "the server as a client";
  EXPECT_TRUE(restores_with(second, limits::kClientsMax));
  EXPECT_FALSE(restores_with(second, limits::kClientsMax + 1));
  EXPECT_TRUE(restores_with(target, 9e11f));
  EXPECT_FALSE(restores_with(target, 2e12f)) << "a target beyond the limit of lengths";
  EXPECT_TRUE(restores_with(thrust + 4, std::uint32_t{2}));
  EXPECT_FALSE(restores_with(thrust + 4, std::uint32_t{3})) << "the thrust of a client not there";
  EXPECT_TRUE(restores_with(thrust + 8, 9e23f));
  EXPECT_FALSE(restores_with(thrust + 8, 2e24f)) << "a force beyond its limit";
}

// The busy world lists slots 0 and 1. Both belong to the scene.
TEST(Image, ListsOfSlotsHaveOneForm) {
  const Layout at{busy_world()};
  constexpr std::size_t kEntryBytes = 4 + 2 + 4 + 4;
  const std::size_t first = at.slots + 4;
  EXPECT_EQ(at.slots + 4 + 2 * kEntryBytes, at.state);
  EXPECT_FALSE(restores_with(first + kEntryBytes, std::uint32_t{0})) << "a slot twice";
  EXPECT_FALSE(restores_with(first, std::uint32_t{kOwned})) << "in another order";
  EXPECT_FALSE(restores_with(first + 4, std::uint16_t{0})) << "a scene's body that is listed";
  std::vector<std::uint8_t> image = without_checksum(busy_world());
  overwrite(image, at.slots, std::uint32_t{1});
  image.erase(image.begin() + static_cast<std::ptrdiff_t>(first + kEntryBytes),
              image.begin() + static_cast<std::ptrdiff_t>(at.state));
  World world(small_scene());
  EXPECT_FALSE(restores(world, image)) << "an empty slot that is not listed";
}

// The scene determines the owners of its bodies, whatever happened in the world before.
TEST(Image, OwnersOfTheScenesBodiesComeFromTheScene) {
  const std::vector<std::uint8_t> image = image_of(World(small_scene()));
  World world(small_scene());
  world.controls.owners[kOwned] = 7;
  ASSERT_TRUE(restore_image(world, image).ok());
  EXPECT_EQ(world.controls.owners[kOwned], 1u);
}

// No session reaches this spin, and it would overflow in the next tick.
TEST(Image, AngularMomentaAreBounded) {
  const World busy = busy_world();
  const Layout at{busy};
  const auto momentum = [&](std::uint32_t slot) {
    const auto field = static_cast<std::size_t>(physics::BodyField::angular_momentum_x);
    return at.state + (field * busy.bodies.slots() + slot) * sizeof(double);
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

// Any bytes are refused, or restore to a world that stays finite and has exactly one image.
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
