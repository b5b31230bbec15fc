// Defines shapes: their definition in a scene, and the immutable set that bodies refer to.
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

// The kind of a part, and the fields of PartDef that define it. Sizes are in the axes of the part.
enum class ShapeKind : std::uint8_t {
  sphere,        // radius
  capsule,       // within `radius` of the segment from -half_length to half_length along y
  box,           // half_extents
  hull,          // the convex hull of points
  plane,         // the half space y <= 0; only for fixed bodies
  height_field,  // a surface over a grid; only for fixed bodies
  mesh,          // a surface of triangles; only for fixed bodies
};

// Returns true for a height field or mesh: a surface of triangles, which pushes from its front
// only.
constexpr bool is_surface(ShapeKind kind) {
  return kind == ShapeKind::height_field || kind == ShapeKind::mesh;
}
// Returns true for all kinds except height field and mesh. A plane counts as convex.
constexpr bool is_convex(ShapeKind kind) { return !is_surface(kind); }

// The surface properties of a part. A contact uses the geometric mean of both frictions, and the
// larger restitution and rolling resistance.
struct Material {
  double friction = 0.5;          // coefficient of Coulomb friction
  double restitution = 0;         // fraction of the approach speed that a bounce keeps
  double rolling_resistance = 0;  // torque against rolling per unit of normal force; a length

  friend bool operator==(const Material&, const Material&) = default;
};

// A collision filter. Two parts of the same group always meet if the group is positive, and never
// if it is negative. Parts of different groups, or of group 0, meet if each has a category in the
// other's mask.
struct Filter {
  std::uint32_t category = 1;
  std::uint32_t mask = ~0u;
  std::int32_t group = 0;
  bool sensor = false;  // reports contacts, but pushes nothing

  friend bool operator==(const Filter&, const Filter&) = default;
};

// Returns true if two parts may touch each other.
constexpr bool may_meet(const Filter& a, const Filter& b) {
  if (a.group == b.group && a.group != 0) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// A part of a shape as a scene defines it. Lengths are in the scene's unit.
struct PartDef {
  ShapeKind kind = ShapeKind::sphere;
  Pose pose;  // in the coordinates of the shape
  Vec3 half_extents{0.5, 0.5, 0.5};
  double radius = 0.5;
  double half_length = 0.5;
  double density = 1000;  // mass per volume
  Material material;
  Filter filter;
  std::vector<Vec3> points;         // points of a hull, or vertices of a mesh
  std::vector<Triangle> triangles;  // triangles of a mesh
  // Height field: heights[row * columns + column] is y at x = column * spacing, z = row * spacing.
  std::vector<double> heights;
  std::uint32_t columns = 0;
  double spacing = 1;
};

// A shape as a scene defines it: one part, or several that are joined rigidly (a compound).
struct ShapeDef {
  std::vector<PartDef> parts;
};

// The mass properties of a solid.
struct MassProperties {
  double mass = 0;
  Vec3 inertia;  // principal moments about the centre of mass
  Pose frame;    // centre of mass and principal axes, in the coordinates of the shape
};

// A part of a shape in the axes of its body.
struct Part {
  ShapeKind kind = ShapeKind::sphere;
  Vec3 position;  // body coordinates
  Quat orientation;
  Vec3 half_extents;        // box
  double radius = 0;        // sphere, capsule
  double half_length = 0;   // capsule
  std::uint32_t index = 0;  // index of its hull, height field or mesh in the set
  double reach = 0;  // bound on the distance of its points from the body's origin; may be infinite
  // Radius of the largest ball about its centre that fits into the part; 0 for a plane, height
  // field or mesh.
  double inner_radius = 0;
  Material material;
  Filter filter;
};

// A shape of the set: a range of parts in body coordinates (centre of mass and principal axes).
struct Shape {
  std::uint32_t first_part = 0;
  std::uint32_t parts = 0;  // number of parts
  bool movable = true;      // false: some part is a plane, height field or mesh
  MassProperties mass;      // set only if movable; a shape at pose p has its body at p * mass.frame
  double reach = 0;         // largest reach of its parts
  double inner_radius = 0;  // smallest inner radius of the parts
  bool has_sensor = false;  // some part is a sensor
};

// The core of a part leaves out a layer of 1 - kCoreShare times the inner radius of the shape.
inline constexpr double kCoreShare = 0.75;

// The shape index of a body without a shape. A body without a shape touches nothing.
inline constexpr std::uint32_t kNoShape = ~0u;

// The shapes of a scene, and their copies with other filters.
class ShapeSet {
 public:
  // Adds a shape and returns its index. Returns an error with the reason if the definition is
  // invalid.
  Result<std::uint32_t> add(const ShapeDef& definition);

  // Returns a shape like a shape of the scene, but with this category and mask of all its parts.
  // Each call needs one call of release().
  std::uint32_t filtered(std::uint32_t shape, std::uint32_t category, std::uint32_t mask);
  // Ends one use of a shape that filtered() returned. Does nothing for a shape of the scene.
  void release(std::uint32_t shape);

  // Return the number of shapes, and a shape or its parts.
  // REQUIRES: index < size().
  std::uint32_t size() const { return static_cast<std::uint32_t>(shapes_.size()); }
  const Shape& shape(std::uint32_t index) const { return shapes_[index]; }
  std::span<const Part> parts(std::uint32_t index) const {
    return std::span(parts_).subspan(shapes_[index].first_part, shapes_[index].parts);
  }
  // Returns the cores of the parts of a movable shape (kCoreShare). That of a hull is the hull,
  // smaller by a factor, about its centre: its layer is thicker where a face is farther from the
  // centre. Continuous collision sweeps cores instead of parts.
  std::span<const Part> cores(std::uint32_t index) const {
    return std::span(cores_).subspan(shapes_[index].first_part, shapes_[index].parts);
  }
  // Returns true if some part of some shape is a sensor.
  bool any_sensor() const { return any_sensor_; }
  // Returns the hull of a part.
  // REQUIRES: the part is a hull.
  const Hull& hull(const Part& part) const { return hulls_[part.index]; }
  // Returns the surface of a part.
  // REQUIRES: the part is a mesh or height field.
  const TriangleMesh& mesh(const Part& part) const { return meshes_[part.index]; }

 private:
  // Adds the cores of the last parts, which belong to `shape`.
  void add_cores(const Shape& shape);

  // A shape of filtered(). One without uses may become another one of the same shape of the scene.
  struct Filtered {
    std::uint32_t shape;     // its index
    std::uint32_t original;  // of the shape of the scene
    std::uint32_t category;
    std::uint32_t mask;
    std::uint32_t uses;
  };

  std::vector<Filtered> filtered_;
  std::vector<Shape> shapes_;
  std::vector<Part> parts_;
  std::vector<Part> cores_;  // one for each part
  std::vector<Hull> hulls_;
  std::vector<TriangleMesh> meshes_;
  bool any_sensor_ = false;
};

// Returns a box around a part, along the world axes, if its body has the pose `body`. The box is
// infinite for a plane.
Aabb bounds(const ShapeSet& shapes, const Part& part, const Pose& body);

}  // namespace orrery::physics
