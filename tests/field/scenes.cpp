// Makes the parts of the small scenes of the field suite.
#include "tests/field/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery::field {

using physics::PartDef;
using physics::ShapeKind;

Scene weightless() {
  Scene scene;
  scene.name = "field";
  use_contacts(scene);
  scene.gravity = {};
  return scene;
}

Scene earthly() {
  Scene scene = weightless();
  scene.gravity = {0, -kG, 0};
  return scene;
}

PartDef ball(double radius) {
  PartDef part;
  part.kind = ShapeKind::sphere;
  part.radius = radius;
  return part;
}

PartDef box(const Vec3& half_extents) {
  PartDef part;
  part.kind = ShapeKind::box;
  part.half_extents = half_extents;
  return part;
}

PartDef cube(double half_extent) { return box({half_extent, half_extent, half_extent}); }

PartDef capsule(double radius, double half_length) { return capsule_part(radius, half_length); }

PartDef hull(std::span<const Vec3> points) {
  PartDef part;
  part.kind = ShapeKind::hull;
  part.points.assign(points.begin(), points.end());
  return part;
}

PartDef box_hull(const Vec3& h) {
  std::array<Vec3, 8> points;
  for (int i = 0; i < 8; ++i) {
    points[static_cast<std::size_t>(i)] = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y,
                                           i & 4 ? h.z : -h.z};
  }
  return hull(points);
}

PartDef cylinder(double radius, double half_length, int sides) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * kPi * i / sides;
    const double x = radius * std::cos(angle), z = radius * std::sin(angle);
    points.push_back({x, half_length, z});
    points.push_back({x, -half_length, z});
  }
  return hull(points);
}

PartDef plane() {
  PartDef part;
  part.kind = ShapeKind::plane;
  return part;
}

PartDef sheet(double x, double z, int n, int m) {
  PartDef part;
  part.kind = ShapeKind::mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= m; ++j)
      part.points.push_back({x * (2.0 * i / n - 1), 0, z * (2.0 * j / m - 1)});
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * (m + 1) + j); };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      part.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      part.triangles.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
    }
  }
  return part;
}

PartDef with(PartDef part, double friction, double restitution) {
  part.material.friction = friction;
  part.material.restitution = restitution;
  return part;
}

std::uint32_t add(Scene& scene, const PartDef& part, const Vec3& position, BodyKind kind) {
  const std::uint32_t shape = add_shape(scene, part);
  BodyDef body;
  if (part.kind == ShapeKind::plane || physics::is_surface(part.kind)) {
    body.shape = shape;
    body.position = position;
  } else {
    body = shaped_body(scene, shape, position);
  }
  body.kind = kind;
  if (!is_dynamic(kind)) {  // such a mass does nothing, but it may leave the limits of a scene
    body.mass = 1;
    body.inertia = {1, 1, 1};
  }
  scene.bodies.push_back(body);
  return static_cast<std::uint32_t>(scene.bodies.size()) - 1;
}

std::uint32_t add_fixed(Scene& scene, const PartDef& part, const Vec3& position) {
  return add(scene, part, position, BodyKind::anchor);
}

std::uint32_t add_anchor(Scene& scene, const Vec3& position) {
  BodyDef body;
  body.kind = BodyKind::anchor;
  body.position = position;
  scene.bodies.push_back(body);
  return static_cast<std::uint32_t>(scene.bodies.size()) - 1;
}

std::uint32_t add_ghost(Scene& scene, double mass, const Vec3& half_extents, const Vec3& position) {
  scene.bodies.push_back(solid_box(mass, half_extents, position));
  return static_cast<std::uint32_t>(scene.bodies.size()) - 1;
}

std::uint32_t add_floor(Scene& scene, double friction, double restitution) {
  return add_fixed(scene, with(box({100, 1, 100}), friction, restitution), {0, -1, 0});
}

Quat turn(const Vec3& axis, double angle) {
  const double s = std::sin(angle / 2);
  return {s * axis.x, s * axis.y, s * axis.z, std::cos(angle / 2)};
}

JointDef& join(Scene& scene, physics::JointKind kind, std::uint32_t a, std::uint32_t b,
               const Vec3& at_a, const Vec3& at_b, const Vec3& axis) {
  JointDef& joint = scene.joints.emplace_back();
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  joint.at_a = at_a;
  joint.at_b = at_b;
  joint.axis = axis;
  return joint;
}

}  // namespace orrery::field
