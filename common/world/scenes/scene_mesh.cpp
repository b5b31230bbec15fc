// The scene `mesh`: bodies of all shapes on uneven ground.
#include <algorithm>

#include "common/core/rng.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

constexpr double kPointSpacing = 2;  // m, between neighbouring points of the height field

// Adds a valley as a height field: y = (x^2 + z^2) / (2 side), plus bumps of up to half a metre.
// `side` is the width of the field in metres.
std::uint32_t add_valley(Scene& scene, std::uint32_t columns, SceneRandom& draw) {
  ORRERY_ASSERT(columns >= 2);
  physics::PartDef ground;
  ground.kind = physics::ShapeKind::height_field;
  ground.columns = columns;
  ground.spacing = kPointSpacing;
  const double side = kPointSpacing * (columns - 1);
  ground.pose.position = {-side / 2, 0, -side / 2};
  for (std::uint32_t i = 0; i < columns * columns; ++i) {
    const double x = kPointSpacing * (i % columns) - side / 2;
    const double z = kPointSpacing * (i / columns) - side / 2;
    ground.heights.push_back((x * x + z * z) / (2 * side) + 0.25 * (1 + draw.next()));
  }
  return add_shape(scene, std::move(ground));
}

// Adds an octahedron that is longer along y.
std::uint32_t add_hull_shape(Scene& scene) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  part.points = {{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.8, 0}, {0, -0.8, 0}, {0, 0, 0.5}, {0, 0, -0.5}};
  return add_shape(scene, std::move(part));
}

}  // namespace

// Balls, capsules, boxes and octahedra alternate in layers 2.5 m apart, above a valley that is wide
// enough for them.
Scene make_mesh(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr double kApart = 2.5;
  static_assert(kApart > 2 * 0.8);  // the longest body is 1.6 m
  Scene scene;
  scene.name = "mesh";
  use_contacts(scene);
  SceneRandom draw;
  const BodyDef kinds[] = {
      shaped_body(scene, add_ball_shape(scene, 0.5), {}),
      shaped_body(scene, add_capsule_shape(scene, 0.3, 0.5), {}),
      shaped_body(scene, add_box_shape(scene, {0.5, 0.3, 0.2}), {}),
      shaped_body(scene, add_hull_shape(scene), {}),
  };
  std::uint32_t side = 4;  // bodies along an edge of a layer, and also the maximum number of layers
  while (std::uint64_t{side} * side * side < count) ++side;
  const double half = kApart * (side - 1) / 2;
  for (std::uint32_t i = 0; i < count; ++i) {
    BodyDef body = kinds[i % 4];
    body.position = {kApart * (i % side) - half, half + 2 + kApart * (i / side / side),
                     kApart * (i / side % side) - half};
    body.angular_velocity = draw_vector(draw, 2);
    scene.bodies.push_back(body);
  }
  BodyDef valley;
  valley.kind = BodyKind::anchor;
  valley.control = Control::nobody;
  // The valley is at least 1.6 times as wide as a layer, so it holds the settled pile.
  valley.shape = add_valley(scene, 8 + 2 * side, draw);
  valley.half_extents = {};
  scene.bodies.push_back(valley);
  return scene;
}

}  // namespace orrery
