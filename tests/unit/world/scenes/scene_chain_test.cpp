// Tests that the chain swings and hardly stretches.
#include <gtest/gtest.h>

#include <algorithm>

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

// Returns the world position of a point given in the scene's coordinates of a body.
Vec3 point_of(const World& world, std::uint32_t body, const Vec3& at) {
  return world.bodies().position(body) +
         rotate(world.bodies().orientation(body), body_point(world, body, at));
}

// Measures the chain link by link, from the hook to the weight, in every tick of 25 s. The chain
// swings to the other side, back, and to the other side again.
void expect_no_stretch(std::uint32_t substeps) {
  Scene scene = built_in_scene("chain").value();
  scene.substeps = substeps;
  World world(scene);
  const std::uint32_t links = 50;
  ASSERT_EQ(world.scene().bodies.size(), links + 2);
  EXPECT_DOUBLE_EQ(world.scene().bodies[links + 1].mass, 100 * world.scene().bodies[links].mass);
  double longest = 0, longest_link = 0, lowest = 0;
  for (int tick = 0; tick < 1500; ++tick) {
    run(world, 1);
    double whole = 0;
    Vec3 from = world.bodies().position(0);
    for (std::uint32_t i = 2; i <= links + 1; ++i) {  // the top of body i: the end of link i - 1
      const Vec3 to = point_of(world, i, {0, 0.5, 0});
      longest_link = std::max(longest_link, length(to - from));
      whole += length(to - from);
      from = to;
    }
    longest = std::max(longest, whole);
    lowest = std::min(lowest, from.y);
  }
  std::printf("with %u substeps a link is at most %.6f m long, and the chain %.5f m\n", substeps,
              longest_link, longest);
  EXPECT_LT(longest_link, 1.0004);
  EXPECT_LT(longest, links + 0.02);
  EXPECT_LT(lowest, -49.9);  // it has swung through
}

TEST(JointTick, TheChainStretchesByLessThanTwoCentimetres) {
  expect_no_stretch(4);
  expect_no_stretch(built_in_scene("chain").value().substeps);
}

}  // namespace
}  // namespace orrery
