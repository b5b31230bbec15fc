// The scene `jumble`: capsules, hulls and compounds in a tray.
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

physics::PartDef box(const Vec3& half_extents, const Vec3& position) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::box;
  part.half_extents = half_extents;
  part.pose.position = position;
  return part;
}

// Adds a wedge with a ridge shorter than its base: it has faces with three and with four corners.
std::uint32_t add_roof(Scene& scene) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  part.points = {{-0.5, 0, -0.35}, {-0.5, 0, 0.35}, {0.5, 0, -0.35},
                 {0.5, 0, 0.35},   {-0.25, 0.5, 0}, {0.25, 0.5, 0}};
  part.material.restitution = 0.3;
  return add_shape(scene, std::move(part));
}

std::uint32_t add_corner(Scene& scene) {
  scene.shapes.push_back({{box({0.5, 0.15, 0.2}, {}), box({0.15, 0.4, 0.2}, {-0.35, 0.55, 0})}});
  return static_cast<std::uint32_t>(scene.shapes.size() - 1);
}

// Adds a bar between two balls, one of them heavy.
std::uint32_t add_dumbbell(Scene& scene) {
  physics::PartDef light;
  light.radius = 0.25;
  light.pose.position = {0, 0.5, 0};
  physics::PartDef heavy = light;
  heavy.pose.position = {0, -0.5, 0};
  heavy.density = 4000;
  scene.shapes.push_back({{capsule_part(0.1, 0.4), light, heavy}});
  return static_cast<std::uint32_t>(scene.shapes.size() - 1);
}

std::uint32_t add_log(Scene& scene) {
  physics::PartDef part = capsule_part(0.25, 0.4);
  part.material.rolling_resistance = 0.01;
  return add_shape(scene, std::move(part));
}

}  // namespace

// Layers of 12 x 12 bodies tumble into the tray (add_tray). Four kinds of bodies alternate.
Scene make_jumble(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr std::uint32_t kSide = 12;
  constexpr double kSpacing = 1.5;
  constexpr double kSpeed = 2;
  constexpr double kSpin = 5;
  Scene scene;
  scene.name = "jumble";
  use_contacts(scene);
  scene.bodies.reserve(count);
  const BodyDef kinds[] = {
      shaped_body(scene, add_log(scene), {}),
      shaped_body(scene, add_roof(scene), {}),
      shaped_body(scene, add_corner(scene), {}),
      shaped_body(scene, add_dumbbell(scene), {}),
  };
  SceneRandom draw;
  for (std::uint32_t i = 0; i < count; ++i) {
    BodyDef body = kinds[i % std::size(kinds)];
    const double x = kSpacing * (i % kSide), z = kSpacing * (i / kSide % kSide);
    constexpr double kMiddle = kSpacing * (kSide - 1) / 2;
    body.position = {x - kMiddle, 1 + kSpacing * (i / kSide / kSide), z - kMiddle};
    body.velocity = draw_vector(draw, kSpeed);
    body.angular_velocity = draw_vector(draw, kSpin);
    scene.bodies.push_back(body);
  }
  add_tray(scene);
  return scene;
}

}  // namespace orrery
