// Images with a valid checksum over wrong content, of a world with clients, grabs and thrusts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/hash.h"
#include "common/world/image/image.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery::test {

inline std::vector<std::uint8_t> image_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  return image;
}

// Returns a world with clients, grabs, thrusts and a reused slot.
inline World busy_world() {
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
  EXPECT_EQ(world.applied().size(), 5u);
  return world;
}

// kClients is the offset of the clients in an image. They follow magic, version, tick, slots,
// gravity and the gravitational constant. The others are the sizes of a client and a held thrust.
inline constexpr std::size_t kClients = 4 + 4 + 8 + 4 + 4 * 8;
inline constexpr std::size_t kClientBytes = 4 + 1 + 1 + 4 + 6 * 4;
inline constexpr std::size_t kThrustBytes = 4 + 4 + 6 * 4;

// Offsets of further parts in the image of a world without contacts.
struct Layout {
  explicit Layout(const World& world) {
    thrusts = kClients + 4 + world.controls().clients.size() * kClientBytes;
    slots =
        thrusts + 4 + world.controls().thrusts.size() * kThrustBytes + 8 * world.bodies().tiles();
    state = image_of(world).size() - 8 -
            physics::kStateFields * world.bodies().slots() * sizeof(double);
  }

  std::size_t thrusts;  // the count, then the thrusts
  std::size_t slots;    // the count, then the slots that differ from the scene
  std::size_t state;    // the 13 arrays of numbers
};

inline std::vector<std::uint8_t> without_checksum(const World& world) {
  std::vector<std::uint8_t> image = image_of(world);
  image.erase(image.end() - 8, image.end());
  return image;
}

// Appends a valid checksum to an image without one. Returns true if the world accepts the image.
inline bool restores(World& world, std::vector<std::uint8_t> image) {
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
  if constexpr (sizeof value == 1) out.u8(std::bit_cast<std::uint8_t>(value));
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

}  // namespace orrery::test
