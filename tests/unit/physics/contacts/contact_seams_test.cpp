// Tests that bodies cross the seams of fixed bodies side by side as on one plane.
#include <gtest/gtest.h>

#include "tests/unit/physics/small_scenes.h"

namespace orrery {
namespace {

// Returns the velocity of a body that slides or rolls without friction from one fixed box to the
// next. The tops of the boxes differ by `step`.
Vec3 velocity_after_seam(double size, double v, bool ball, double step) {
  ContactWorld world(64);
  world.gravity = {0, -kGravity * size, 0};
  const physics::Material smooth{0, 0, 0};
  const std::uint32_t floor = world.add_box({size, 0.5 * size, 2 * size}, smooth);
  world.add_fixed(floor, {0, -0.5 * size, 0});
  world.add_fixed(floor, {2 * size, (step - 0.5) * size, 0});
  const double h = 0.25 * size;
  const std::uint32_t shape = ball ? world.add_ball(h, smooth) : world.add_box({h, h, h}, smooth);
  const std::uint32_t body = world.add(shape, {0, h, 0.1 * size}, {v * size, 0, 0});
  world.step(static_cast<int>(60 * 2 / v));
  return world.bodies.velocity(body);
}

TEST(ContactScenes, SeamsOfBoxesAreSmooth) {
  for (const double size : kSizes) {
    for (const double v : {1.0, 3.0, 7.0}) {
      for (const bool ball : {false, true}) {
        const Vec3 end = velocity_after_seam(size, v, ball, 0);
        EXPECT_NEAR(end.x, v * size, 1e-3 * size) << size << " " << v << ball;
        EXPECT_NEAR(end.y, 0, 1e-2 * size) << size << " " << v << ball;
        // a step stops a box
        if (ball) continue;
        EXPECT_LT(velocity_after_seam(size, v, ball, 0.1).x, 0.3 * v * size);
      }
    }
  }
}

}  // namespace
}  // namespace orrery
