// The benchmark scenes of contacts: `spheres`, `boxes` and `pyramid`.
#include "common/world/scenes/scene_parts.h"

namespace orrery {

// Layers of 17 x 17 balls of 1 m diameter fall into the tray. Each ball starts a little out of
// line.
Scene make_spheres(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr std::uint32_t kSide = 17;
  constexpr double kSpacing = 1.15;
  constexpr double kOffset = 0.05;
  static_assert(kSide == 17 && kSpacing > 1 + 2 * kOffset);  // balls start apart
  Scene scene;
  scene.name = "spheres";
  use_contacts(scene);
  scene.bodies.reserve(count);
  BodyDef ball = shaped_body(scene, add_ball_shape(scene, 0.5), {});
  SceneRandom draw;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int32_t k = static_cast<std::int32_t>(i % (kSide * kSide));
    const std::uint32_t layer = i / (kSide * kSide);
    ball.position.x = kSpacing * (k % 17 - 8) + kOffset * draw.next();
    ball.position.z = kSpacing * (k / 17 - 8) + kOffset * draw.next();
    ball.position.y = 1 + kSpacing * layer;
    scene.bodies.push_back(ball);
  }
  add_tray(scene);
  return scene;
}

// Layers of 15 x 15 tumbling boxes of 1 x 0.6 x 0.4 m fall into the tray.
Scene make_boxes(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr std::uint32_t kSide = 15;
  constexpr double kSpacing = 1.3;
  constexpr double kSpeed = 2;
  constexpr double kSpin = 10;
  static_assert(kSide == 15);
  static_assert(kSpacing * kSpacing > 1 + 0.6 * 0.6 + 0.4 * 0.4);  // boxes start apart
  Scene scene;
  scene.name = "boxes";
  use_contacts(scene);
  scene.bodies.reserve(count);
  BodyDef box = shaped_body(scene, add_box_shape(scene, {0.5, 0.3, 0.2}), {});
  SceneRandom draw;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int32_t k = static_cast<std::int32_t>(i % (kSide * kSide));
    const std::uint32_t layer = i / (kSide * kSide);
    box.position = {kSpacing * (k % 15 - 7), 1 + kSpacing * layer, kSpacing * (k / 15 - 7)};
    box.velocity = draw_vector(draw, kSpeed);
    box.angular_velocity = draw_vector(draw, kSpin);
    scene.bodies.push_back(box);
  }
  add_tray(scene);
  return scene;
}

// 15 layers of boxes with edges of 2 m start half a metre above each other. The lowest layer has 15
// x 15 boxes, the highest has one. Each box above the lowest layer comes to rest on the corners of
// four boxes.
Scene make_pyramid(std::uint32_t) {
  constexpr std::int32_t kLayers = 15;
  Scene scene;
  scene.name = "pyramid";
  use_contacts(scene);
  BodyDef box = shaped_body(scene, add_box_shape(scene, {1, 1, 1}), {});
  for (std::int32_t i = 0; i < kLayers; ++i) {
    const std::int32_t end = kLayers - (i + 1) / 2;
    const std::int32_t shift = i % 2 - kLayers;
    for (std::int32_t j = i / 2; j < end; ++j) {
      for (std::int32_t k = i / 2; k < end; ++k) {
        box.position.x = shift + 2 * j;
        box.position.y = 1 + 2.5 * i;
        box.position.z = shift + 2 * k;
        scene.bodies.push_back(box);
      }
    }
  }
  ORRERY_ASSERT(scene.bodies.size() == 1240);  // as the list of scenes says
  add_block(scene, {50, 0.5, 50}, {0, -0.5, 0});
  return scene;
}

}  // namespace orrery
