// Tests the image of ways, drives and values: each state has one form, and others are refused.
#include "common/world/image/held_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/world/image/image.h"
#include "common/world/scenes/scene_parts.h"
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

Command set(std::string_view key, std::string_view value) {
  return give(0, command::SetValue{bytes_of<command::Key>(key), bytes_of<command::Value>(value)});
}

// An image of values has one form: ascending, none twice, none empty, none too long.
TEST(HeldImage, ValuesThatCannotBeAreRefused) {
  World world(small_scene());
  ASSERT_TRUE(try_command(world, set("aa", "11")));
  ASSERT_TRUE(try_command(world, set("bb", "22")));
  const std::vector<std::uint8_t> image = image_of(world);
  const std::vector<std::uint8_t> list = {2, 0, 0,   0,                     // their number
                                          2, 0, 'a', 'a', 2, 0, '1', '1',   // the first
                                          2, 0, 'b', 'b', 2, 0, '2', '2'};  // the second
  const auto at = std::search(image.begin(), image.end(), list.begin(), list.end());
  ASSERT_NE(at, image.end());
  const auto restores = [&](std::size_t offset, std::uint8_t byte) {
    auto forged = image;
    forged[static_cast<std::size_t>(at - image.begin()) + offset] = byte;
    seal(forged);
    World other(small_scene());
    return restore_image(other, forged).ok();
  };
  EXPECT_TRUE(restores(10, '3'));
  EXPECT_FALSE(restores(14, 'A')) << "descending keys";
  EXPECT_FALSE(restores(0, 1)) << "fewer than there are";
  EXPECT_FALSE(restores(0, 0)) << "none";
  EXPECT_FALSE(restores(1, 255)) << "too many";
  EXPECT_FALSE(restores(4, 0)) << "an empty key";
  EXPECT_FALSE(restores(4, 65)) << "a key that is too long";
  EXPECT_FALSE(restores(9, 255)) << "a value that is too long";
  auto twice = image;
  std::copy_n("aa", 2, twice.begin() + (at - image.begin()) + 14);
  seal(twice);
  World other(small_scene());
  EXPECT_FALSE(restore_image(other, twice).ok()) << "a key twice";
}

// Two kinematic bodies and two hinges.
Scene machine_scene() {
  Scene scene;
  use_contacts(scene);
  scene.bodies.resize(4);
  for (std::uint32_t i = 0; i < 2; ++i) {
    scene.bodies[i].kind = BodyKind::kinematic;
    scene.bodies[i].position = {3.0 * i, 0, 0};
    scene.bodies[2 + i].position = {3.0 * i + 1, 0, 0};
    JointDef hinge;
    hinge.kind = physics::JointKind::hinge;
    hinge.a = i;
    hinge.b = 2 + i;
    hinge.at_b = {-1, 0, 0};
    hinge.axis = {0, 0, 1};
    scene.joints.push_back(hinge);
  }
  return scene;
}

World busy_machine() {
  World world(machine_scene());
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::uint32_t ticks = 20 + i;
    EXPECT_TRUE(try_command(
        world, give(0, command::MoveTo{BodyId{i}, {1, 2, 3}, {0, 0.6f, 0, 0.8f}, ticks})));
    EXPECT_TRUE(try_command(world, give(0, command::SetMotor{i, 1.5f, 9})));
  }
  EXPECT_TRUE(try_command(world, give(0, command::SetTarget{1, 0.5f, 4, 1, 100})));
  EXPECT_TRUE(try_command(world, set("score", "1:0")));
  EXPECT_TRUE(try_command(world, give(0, command::SetGravityScale{BodyId{2}, 0.5f})));
  EXPECT_TRUE(try_command(world, give(0, command::SetGravityScale{BodyId{3}, -2})));
  return world;
}

// Changes each byte of the held state. An image that is not refused gives the same bytes again.
TEST(HeldImage, AChangedByteIsRefusedOrKept) {
  const World world = busy_machine();
  std::vector<std::uint8_t> held;
  ByteWriter writer(held);
  encode_held(world.controls(), writer);
  const std::vector<std::uint8_t> image = image_of(world);
  const auto at = std::search(image.begin(), image.end(), held.begin(), held.end());
  ASSERT_NE(at, image.end());
  const auto first = static_cast<std::size_t>(at - image.begin());
  int refused = 0, kept = 0;
  for (std::size_t i = first; i < first + held.size(); ++i) {
    for (const int change : {0x01, 0x10, 0x80, 0xff}) {
      std::vector<std::uint8_t> forged = image;
      forged[i] = static_cast<std::uint8_t>(forged[i] ^ change);
      seal(forged);
      World other(world.scene());
      if (restore_image(other, forged).ok()) {
        ++kept;
        EXPECT_EQ(image_of(other), forged) << i - first;
        run(other, 3);
      } else {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(kept, 200);
}

TEST(HeldImage, ARestoredMachineGoesOnWithTheSameBits) {
  World world = busy_machine();
  World other(world.scene());
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  for (int i = 0; i < 40; ++i) {
    run(world, 1);
    run(other, 1);
    ASSERT_EQ(other.hash(), world.hash()) << i;
  }
  EXPECT_TRUE(world.controls().ways.empty());
}

}  // namespace
}  // namespace orrery
