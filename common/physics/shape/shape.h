// Owns shapes: what a scene says of them, and the immutable set that bodies refer to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/math/pose.h"
#include "common/physics/shape/aabb.h"
#include "common/physics/shape/hull.h"
#include "common/physics/shape/triangle_mesh.h"

namespace orrery::physics {

// In the axes of the part:
enum class ShapeKind : std::uint8_t {
  sphere,        // radius
  capsule,       // all within `radius` of the segment from -half_length to half_length along y
  box,           // half_extents
  hull,          // the convex hull of points
  plane,         // all with y <= 0; for bodies that nothing moves
  height_field,  // a surface over a grid; for bodies that nothing moves
  mesh,          // triangles; for bodies that nothing moves
};

constexpr bool is_surface(ShapeKind kind) {
  return kind == ShapeKind::height_field || kind == ShapeKind::mesh;
}
constexpr bool is_convex(ShapeKind kind) { return !is_surface(kind); }

// What contacts of a part are like. A pair mixes both sides' values.
struct Material {
  double friction = 0.5;          // coefficient of Coulomb friction
  double restitution = 0;         // share of the approach speed that a bounce keeps
  double rolling_resistance = 0;  // length: torque against rolling per normal force

  friend bool operator==(const Material&, const Material&) = default;
};

// Which parts meet: those of the same group, if it is not 0, always (positive) or never (negative);
// others if each has a category that is in the other's mask.
struct Filter {
  std::uint32_t category = 1;
  std::uint32_t mask = ~0u;
  std::int32_t group = 0;
  bool sensor = false;  // reports what it touches, and pushes nothing

  friend bool operator==(const Filter&, const Filter&) = default;
};

constexpr bool may_meet(const Filter& a, const Filter& b) {
  if (a.group == b.group && a.group != 0) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// A piece of a shape as a scene states it. Lengths in the scene's unit.
struct PartDef {
  ShapeKind kind = ShapeKind::sphere;
  Pose pose;  // in the coordinates of the shape
  Vec3 half_extents{0.5, 0.5, 0.5};
  double radius = 0.5;
  double half_length = 0.5;
  double density = 1000;  // mass per volume
  Material material;
  Filter filter;
  std::vector<Vec3> points;         // hull; vertices of a mesh
  std::vector<Triangle> triangles;  // mesh
  // Height field: heights[row * columns + column] is y at x = column * spacing, z = row * spacing.
  std::vector<double> heights;
  std::uint32_t columns = 0;
  double spacing = 1;
};

// One part, or several that are joined rigidly (a compound).
struct ShapeDef {
  std::vector<PartDef> parts;
};

// Of a solid of given densities.
struct MassProperties {
  double mass = 0;
  Vec3 inertia;  // principal moments about the centre of mass
  Pose frame;    // centre of mass and principal axes, in the coordinates of the shape
};

// A convex (or static) piece in the axes of its body.
struct Part {
  ShapeKind kind = ShapeKind::sphere;
  Vec3 position;  // body coordinates
  Quat orientation;
  Vec3 half_extents;        // box
  double radius = 0;        // sphere, capsule
  double half_length = 0;   // capsule
  std::uint32_t index = 0;  // of a hull, height field or mesh in the set
  double reach = 0;  // distance of its farthest point from the body's origin; may be infinite
  Material material;
  Filter filter;
};

// A range of parts in the coordinates of a body: centre of mass and principal axes.
struct Shape {
  std::uint32_t first_part = 0;
  std::uint32_t parts = 0;
  bool movable = true;      // false: has a plane, height field or mesh, or no volume
  MassProperties mass;      // of a movable shape; a body at pose p of the definition's coordinates
                            // has the pose p * mass.frame
  double reach = 0;         // the largest of its parts
  double inner_radius = 0;  // about the centre of each part there is a ball of at least this
};

// A body without a shape touches nothing.
inline constexpr std::uint32_t kNoShape = ~0u;

// All distinct shapes of a scene. Immutable after load.
class ShapeSet {
 public:
  // Adds a shape and gives its index; a shape that is none is refused with the reason.
  Result<std::uint32_t> add(const ShapeDef& definition);

  std::uint32_t size() const { return static_cast<std::uint32_t>(shapes_.size()); }
  const Shape& shape(std::uint32_t index) const { return shapes_[index]; }
  std::span<const Part> parts(std::uint32_t index) const {
    return std::span(parts_).subspan(shapes_[index].first_part, shapes_[index].parts);
  }
  const Hull& hull(const Part& part) const { return hulls_[part.index]; }
  // Of a mesh or height field.
  const TriangleMesh& mesh(const Part& part) const { return meshes_[part.index]; }

 private:
  std::vector<Shape> shapes_;
  std::vector<Part> parts_;
  std::vector<Hull> hulls_;
  std::vector<TriangleMesh> meshes_;
};

// Bounds of a part of a body, world frame. A plane has infinite ones.
Aabb bounds(const ShapeSet& shapes, const Part& part, const Pose& body);

}  // namespace orrery::physics
