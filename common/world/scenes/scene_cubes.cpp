// The scene `cubes`: a field of cubes at rest, and a scripted player.
#include "common/world/scenes/scene_parts.h"

namespace orrery {

// 30 x 30 cubes of 0.4 m, 1 m apart, under a gravity of 20 m/s^2. The scene follows the
// demonstration in G. Fiedler's talk on networked physics (GDC 2015). Body 0 is the player, a cube
// of 1.5 m. Its script pulls it to a new place every two seconds. In every second such period it
// also attracts the cubes near it and rolls them up.
Scene make_cubes(std::uint32_t) {
  constexpr std::int32_t kSide = 30;
  constexpr double kHalf = 0.2;
  constexpr double kPlayerHalf = 0.75;
  static_assert(2 * kHalf < 1);          // cubes start apart
  static_assert(18 - kPlayerHalf > 15);  // the player starts outside of the field
  Scene scene;
  scene.name = "cubes";
  use_contacts(scene);
  scene.gravity = {0, -20, 0};
  scene.sleeping = true;
  const Vec3 player_half{kPlayerHalf, kPlayerHalf, kPlayerHalf};
  const std::uint32_t player_shape = add_box_shape(scene, player_half);
  scene.bodies.push_back(shaped_body(scene, player_shape, {0, kPlayerHalf, -18}));
  BodyDef cube = shaped_body(scene, add_box_shape(scene, {kHalf, kHalf, kHalf}), {});
  for (std::int32_t i = 0; i < kSide * kSide; ++i) {
    cube.position = {i % kSide - 14.5, kHalf, i / kSide - 14.5};
    scene.bodies.push_back(cube);
  }
  add_block(scene, {60, 0.5, 60}, {0, -0.5, 0});
  ScriptDef script;
  script.seed = 2015;
  script.centre = {0, kPlayerHalf, 0};
  script.range = 13;
  script.frequency = 0.4;
  script.reach = 3;
  script.pull = 120;
  scene.scripts.push_back(script);
  return scene;
}

}  // namespace orrery
