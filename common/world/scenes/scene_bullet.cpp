// The scene `bullet`: fast bodies and thin walls, to test continuous collision.
#include "common/world/scenes/scene_parts.h"

namespace orrery {

// Twenty balls of 20 cm fly at 500 m/s (8 m a tick) at a wall that is 10 cm thick. Only floor is on
// the far side, so a ball that passes the wall is easy to notice. A ball of 1 m and half a tonne
// flies at 60 m/s into five stacks of crates.
Scene make_bullet(std::uint32_t) {
  constexpr double kMuzzle = -40;  // where the first balls start, along x; m
  constexpr Vec3 kWall{0.05, 3, 6};
  constexpr double kSpeed = 500;
  static_assert(kSpeed / 60 > 20 * kWall.x);  // a ball moves far beyond the wall in a tick
  Scene scene;
  scene.name = "bullet";
  use_contacts(scene);
  BodyDef bullet = shaped_body(scene, add_ball_shape(scene, 0.1), {});
  bullet.velocity = {kSpeed, 0, 0};
  for (std::uint32_t i = 0; i < 20; ++i) {
    // Each ball hits the wall at a different place, and at a different fraction of a tick.
    bullet.position = {kMuzzle - 0.37 * i, 1.0 + i % 4, 2.0 * (i / 4) - 4};
    scene.bodies.push_back(bullet);
  }
  BodyDef ball = shaped_body(scene, add_ball_shape(scene, 0.5), {kMuzzle, 1.5, 12});
  ball.velocity = {60, 0, 0};
  scene.bodies.push_back(ball);
  BodyDef crate = shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {});
  for (std::uint32_t i = 0; i < 20; ++i) {
    crate.position = {0, 0.5 + i / 5, 10.0 + i % 5};
    scene.bodies.push_back(crate);
  }
  add_block(scene, kWall, {0, kWall.y, 0});
  add_block(scene, {60, 0.5, 30}, {0, -0.5, 0});
  return scene;
}

}  // namespace orrery
