// Builds the shapes and bodies that the built-in scenes share.
#include "common/world/scenes/scene_parts.h"

#include "common/core/limits.h"

namespace orrery {

std::uint32_t add_shape(Scene& scene, physics::PartDef part) {
  ORRERY_ASSERT(scene.shapes.size() < limits::kShapesMax);
  physics::ShapeDef& shape = scene.shapes.emplace_back();
  shape.parts.push_back(std::move(part));
  return static_cast<std::uint32_t>(scene.shapes.size() - 1);
}

std::uint32_t add_ball_shape(Scene& scene, double radius) {
  ORRERY_ASSERT(radius > 0);
  physics::PartDef part;
  part.kind = physics::ShapeKind::sphere;
  part.radius = radius;
  return add_shape(scene, std::move(part));
}

std::uint32_t add_box_shape(Scene& scene, const Vec3& half_extents) {
  ORRERY_ASSERT(half_extents.x > 0 && half_extents.y > 0 && half_extents.z > 0);
  physics::PartDef part;
  part.kind = physics::ShapeKind::box;
  part.half_extents = half_extents;
  return add_shape(scene, std::move(part));
}

physics::PartDef capsule_part(double radius, double half_length) {
  ORRERY_ASSERT(radius > 0 && half_length > 0);
  physics::PartDef part;
  part.kind = physics::ShapeKind::capsule;
  part.radius = radius;
  part.half_length = half_length;
  return part;
}

std::uint32_t add_capsule_shape(Scene& scene, double radius, double half_length) {
  return add_shape(scene, capsule_part(radius, half_length));
}

BodyDef shaped_body(const Scene& scene, std::uint32_t shape, const Vec3& position) {
  ORRERY_ASSERT(shape < scene.shapes.size());
  physics::ShapeSet set;
  const Result<std::uint32_t> index = set.add(scene.shapes[shape]);
  ORRERY_ASSERT(index);
  const physics::MassProperties& solid = set.shape(index.value()).mass;
  BodyDef body;
  body.mass = solid.mass;
  body.inertia = solid.inertia;
  body.position = position;
  body.half_extents = half_extents_of(set, index.value());
  body.shape = shape;
  return body;
}

void add_block(Scene& scene, const Vec3& half_extents, const Vec3& position) {
  // either all bodies of a scene have names or none; a block has none
  ORRERY_ASSERT(scene.names.empty());
  BodyDef block = shaped_body(scene, add_box_shape(scene, half_extents), position);
  block.kind = BodyKind::anchor;
  block.control = Control::nobody;
  scene.bodies.push_back(block);
}

void add_tray(Scene& scene) {
  constexpr double kInside = 10;
  constexpr double kThickness = 0.5;  // half the thickness of floor and walls
  constexpr double kHeight = 25;      // half the height of the walls
  constexpr double kWall = kInside + kThickness;
  constexpr double kOutside = kInside + 2 * kThickness;
  static_assert(kHeight > kInside);  // the walls are higher than the tray is wide
  add_block(scene, {kOutside, kThickness, kOutside}, {0, -kThickness, 0});
  add_block(scene, {kThickness, kHeight, kOutside}, {-kWall, kHeight, 0});
  add_block(scene, {kThickness, kHeight, kOutside}, {kWall, kHeight, 0});
  add_block(scene, {kInside, kHeight, kThickness}, {0, kHeight, -kWall});
  add_block(scene, {kInside, kHeight, kThickness}, {0, kHeight, kWall});
}

}  // namespace orrery
