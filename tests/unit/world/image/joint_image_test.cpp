// Tests that forged states of joints are refused, or restore to a sound world.
#include "common/world/image/joint_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/core/hash.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
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

// Offsets of the joint state in the image of a world that cannot sleep: flags, then impulses. The
// checksum follows.
struct JointBytes {
  explicit JointBytes(const World& world) {
    const physics::JointSet& joints = world.collision()->solver.joints();
    const std::size_t end = image_of(world).size() - 8;
    impulses = end - 8 * joints.numbers().size();
    broken = impulses - joints.flags().size();
  }
  std::size_t broken;
  std::size_t impulses;
};

bool restores(World& world, std::vector<std::uint8_t> image) {
  seal(image);
  return restore_image(world, image).ok();
}

TEST(JointTick, ForeignStatesOfJointsAreRefusedOrSound) {
  World world(built_in_scene("ragdolls:1").value());
  run(world, 90);
  const JointBytes at(world);
  const std::vector<std::uint8_t> sound = image_of(world);
  World other(world.scene());
  const auto with = [&](std::size_t place, double impulse) {
    std::vector<std::uint8_t> image = sound;
    std::vector<std::uint8_t> bytes;
    ByteWriter(bytes).f64(impulse);
    std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(place));
    return image;
  };
  ASSERT_TRUE(restores(other, sound));
  EXPECT_FALSE(restores(other, with(at.impulses, std::nan(""))));
  EXPECT_FALSE(restores(other, with(at.impulses, 1e25)));
  EXPECT_FALSE(restores(other, with(at.impulses + 8, -INFINITY)));
  for (const unsigned flag : {1u, 3u, 255u}) {
    std::vector<std::uint8_t> image = sound;
    image[at.broken] = static_cast<std::uint8_t>(flag);
    EXPECT_FALSE(restores(other, image)) << "broken with both bodies, or no flag: " << flag;
  }
  EXPECT_EQ(image_of(other), sound);  // refused images change nothing
  SplitMix64 draw(17);
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint8_t> image = sound;
    const auto bytes = static_cast<std::uint32_t>(image.size() - 8 - at.broken);
    image[at.broken + draw.below(bytes)] = static_cast<std::uint8_t>(draw.next());
    if (!restores(other, image)) continue;
    ++accepted;
    run(other, 3);
    ASSERT_TRUE(finite(other)) << i;
    ASSERT_TRUE(restore_image(world, image_of(other)).ok()) << i;
  }
  std::printf("seed 17: %d of 1000 restored\n", accepted);
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace orrery
