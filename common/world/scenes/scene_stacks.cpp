// The scenes `crates` (stacks of boxes) and `domino` (a row that falls over).
#include "common/world/scenes/scene_parts.h"

namespace orrery {

// Stacks of ten crates of 1 m; the stacks are 3 m apart in a square.
Scene make_crates(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr std::uint32_t kHigh = 10;
  constexpr double kSpacing = 3;
  static_assert(kSpacing > 1);  // stacks start apart
  Scene scene;
  scene.name = "crates";
  use_contacts(scene);
  BodyDef crate = shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {});
  std::uint32_t side = 1;
  while (std::uint64_t{side} * side * kHigh < count) ++side;
  const double middle = kSpacing * (side - 1) / 2;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t stack = i / kHigh;
    crate.position = {kSpacing * (stack % side) - middle, 0.5 + i % kHigh,
                      kSpacing * (stack / side) - middle};
    scene.bodies.push_back(crate);
  }
  const double half_floor = middle + 20;  // a stack that topples still lands on the floor
  add_block(scene, {half_floor, 0.5, half_floor}, {0, -0.5, 0});
  return scene;
}

// A row of a hundred dominoes; the first one is falling.
Scene make_domino(std::uint32_t) {
  constexpr std::uint32_t kDominoes = 100;
  constexpr double kSpacing = 0.6;
  constexpr Vec3 kHalfExtents{0.1, 0.75, 0.4};
  static_assert(kSpacing > 2 * kHalfExtents.x);  // dominoes start apart
  static_assert(kSpacing < 2 * kHalfExtents.y);  // a falling domino reaches the next one
  Scene scene;
  scene.name = "domino";
  use_contacts(scene);
  BodyDef domino = shaped_body(scene, add_box_shape(scene, kHalfExtents), {});
  for (std::uint32_t i = 0; i < kDominoes; ++i) {
    domino.position = {kSpacing * i, kHalfExtents.y, 0};
    scene.bodies.push_back(domino);
  }
  scene.bodies[0].angular_velocity = {0, 0, -2};
  scene.bodies[0].velocity = {2 * kHalfExtents.y, 0, 0};  // so its bottom does not slide
  const double middle = kSpacing * (kDominoes - 1) / 2;
  add_block(scene, {middle + 5, 0.5, 5}, {middle, -0.5, 0});
  return scene;
}

}  // namespace orrery
