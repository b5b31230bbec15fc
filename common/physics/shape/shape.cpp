// Builds shapes: checks, mass properties, axes and bounds.
#include "common/physics/shape/shape.h"

#include <algorithm>
#include <limits>
#include <string>

#include "common/core/limits.h"
#include "common/math/between.h"
#include "common/math/mat3.h"
#include "common/physics/shape/mass_properties.h"

namespace orrery::physics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

bool finite(double value) { return within(value, kLargest); }

bool finite(const Vec3& v) { return within(v, kLargest); }

// Checks sizes, points, spacing and heights, even those that the kind does not use: a world
// contains only finite numbers.
bool all_finite(const PartDef& part) {
  return finite(part.half_extents) && finite(part.radius) && finite(part.half_length) &&
         finite(part.spacing) &&
         std::all_of(part.points.begin(), part.points.end(), [](auto& p) { return finite(p); }) &&
         std::all_of(part.heights.begin(), part.heights.end(), [](double y) { return finite(y); });
}

// Returns the first error in the sizes of a sphere, capsule or box.
Problem size_problem(const PartDef& part) {
  constexpr double kLeast = limits::kExtentMin;
  constexpr double kMost = limits::kExtentMax;
  const bool capsule = part.kind == ShapeKind::capsule;
  if (capsule || part.kind == ShapeKind::sphere) {
    if (Problem p = between("radius", part.radius, kLeast, kMost, "1e-6 to 1e9")) return p;
  }
  if (capsule) return between("half_length", part.half_length, kLeast, kMost, "1e-6 to 1e9");
  if (part.kind == ShapeKind::box && !within(part.half_extents, kLeast, kMost)) {
    return problem_at("half_extents", " must be from 1e-6 to 1e9");
  }
  return {};
}

// Returns the first error in a part.
Problem part_problem(const PartDef& part) {
  using namespace limits;
  const Quat& q = part.pose.orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!within(part.pose.position, kExtentMax)) {
    return problem_at("position", " must be within 1e9 of the origin of the shape");
  }
  if (!within(norm, 1 - 1e-6, 1 + 1e-6)) {
    return problem_at("orientation", " must be a quaternion of length 1");
  }
  const Material& m = part.material;
  Problem p = between("density", part.density, kDensityMin, kDensityMax, "1e-9 to 1e12");
  if (!p) p = between("friction", m.friction, 0, kFrictionMax, "0 to 1000");
  if (!p) p = between("restitution", m.restitution, 0, 1, "0 to 1");
  if (!p) p = between("rolling_resistance", m.rolling_resistance, 0, kExtentMax, "0 to 1e9");
  return p ? p : size_problem(part);
}

bool has_volume(ShapeKind kind) { return kind <= ShapeKind::hull; }

double magnitude(double x) { return x < 0 ? -x : x; }

// Returns the half size of the axis-aligned box around a box with half extents e along the axes m.
Vec3 half_size(const Vec3& e, const Mat3& m) {
  return {magnitude(m.x.x) * e.x + magnitude(m.y.x) * e.y + magnitude(m.z.x) * e.z,
          magnitude(m.x.y) * e.x + magnitude(m.y.y) * e.y + magnitude(m.z.y) * e.z,
          magnitude(m.x.z) * e.x + magnitude(m.y.z) * e.y + magnitude(m.z.z) * e.z};
}

Vec3 half_size(const Part& part, const Mat3& m) {
  const Vec3 round{part.radius, part.radius, part.radius};
  switch (part.kind) {
    case ShapeKind::sphere:
      return round;
    case ShapeKind::capsule:
      return round + half_size(Vec3{0, part.half_length, 0}, m);
    case ShapeKind::box:
      return half_size(part.half_extents, m);
    default:
      return {kInfinity, kInfinity, kInfinity};
  }
}

// A checked part, with its hull or mesh built. The origin of a hull's part is moved to its centre
// of volume.
struct Piece {
  PartDef definition;
  Hull hull;
  TriangleMesh mesh;
};

// Returns the distance from the origin to the farthest corner of `box`.
double farthest_corner(const Aabb& box) {
  const auto farther = [](double a, double b) { return std::max(magnitude(a), magnitude(b)); };
  return length({farther(box.lower.x, box.upper.x), farther(box.lower.y, box.upper.y),
                 farther(box.lower.z, box.upper.z)});
}

double reach_of(const Part& part, const Piece& piece) {
  const Vec3& e = part.half_extents;
  const Vec3 tip = rotate(part.orientation, {0, part.half_length, 0});
  const Vec3 p = rotate_back(part.orientation, part.position);
  switch (part.kind) {
    case ShapeKind::sphere:
      return length(part.position) + part.radius;
    case ShapeKind::capsule:
      return std::max(length(part.position + tip), length(part.position - tip)) + part.radius;
    case ShapeKind::box:
      return length({magnitude(p.x) + e.x, magnitude(p.y) + e.y, magnitude(p.z) + e.z});
    case ShapeKind::hull: {
      double reach = 0;
      for (const Vec3& vertex : piece.hull.vertices) reach = std::max(reach, length(p + vertex));
      return reach;
    }
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      return length(p) + farthest_corner(piece.mesh.bounds);
    default:
      return kInfinity;
  }
}

double inner_radius_of(const Part& part, const Hull& hull) {
  if (part.kind == ShapeKind::box) {
    return std::min({part.half_extents.x, part.half_extents.y, part.half_extents.z});
  }
  if (part.kind != ShapeKind::hull) return part.radius;
  double radius = kInfinity;
  for (const HullFace& face : hull.faces) radius = std::min(radius, face.offset);
  return radius;
}

// Converts a definition to the coordinates of a body. `frame` is the frame of that body in the
// coordinates of the shape.
Part part_in(const Pose& frame, const PartDef& definition) {
  Part part;
  part.kind = definition.kind;
  const bool same = definition.pose == frame;
  if (!same) {
    part.position = rotate_back(frame.orientation, definition.pose.position - frame.position);
    part.orientation = normalized(conjugate(frame.orientation) * definition.pose.orientation);
  }
  if (part.kind == ShapeKind::box) part.half_extents = definition.half_extents;
  if (part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule) {
    part.radius = definition.radius;
  }
  if (part.kind == ShapeKind::capsule) part.half_length = definition.half_length;
  part.material = definition.material;
  part.filter = definition.filter;
  return part;
}

// Returns a part without a layer of `inset` on all sides (ShapeSet::cores).
Part core_of(const Part& part, double inset) {
  ORRERY_ASSERT(inset >= 0 && inset <= part.inner_radius);
  Part core = part;
  if (part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule) core.radius -= inset;
  if (part.kind == ShapeKind::box) core.half_extents -= Vec3{inset, inset, inset};
  core.reach = part.reach - inset;
  core.inner_radius = part.inner_radius - inset;
  return core;
}

Hull scaled(const Hull& hull, double factor) {
  ORRERY_ASSERT(factor > 0 && factor <= 1);
  Hull smaller = hull;
  for (Vec3& vertex : smaller.vertices) vertex = factor * vertex;
  for (HullFace& face : smaller.faces) face.offset *= factor;
  return smaller;
}

// Builds the triangles of a mesh or height field.
Result<TriangleMesh> surface_of(const PartDef& part) {
  if (part.kind == ShapeKind::mesh) return make_mesh(part.points, part.triangles);
  return make_height_field(part.heights, part.columns, part.spacing);
}

Result<Piece> piece_of(const PartDef& definition) {
  if (definition.kind > ShapeKind::mesh) return Error::at("kind", " is not known");
  if (Problem p = part_problem(definition)) return *p;
  Piece piece{definition, {}, {}};
  if (is_surface(definition.kind)) {
    Result<TriangleMesh> mesh = surface_of(definition);
    if (!mesh) return mesh.error();
    piece.mesh = std::move(mesh.value());
  }
  if (definition.kind != ShapeKind::hull) return piece;
  Result<Hull> hull = make_hull(definition.points);
  if (!hull) return hull.error();
  piece.hull = std::move(hull.value());
  // Integrates about a corner of the hull: about a distant origin, rounding errors of the integrals
  // could be larger than the volume.
  const Vec3 corner = piece.hull.vertices[0];
  translate(piece.hull, -corner);
  const VolumeMoments moments = volume_moments(piece.hull);
  const Vec3 centre = (1 / moments.volume) * moments.first;
  translate(piece.hull, -centre);
  piece.definition.pose.position = transform(definition.pose, corner + centre);
  return piece;
}

}  // namespace

void ShapeSet::add_cores(const Shape& shape) {
  ORRERY_ASSERT(cores_.size() == shape.first_part);
  const double inset = shape.movable ? (1 - kCoreShare) * shape.inner_radius : 0;
  for (std::size_t i = shape.first_part; i < parts_.size(); ++i) {
    Part core = core_of(parts_[i], inset);
    if (core.kind == ShapeKind::hull && shape.movable) {
      Hull smaller = scaled(hull(core), core.inner_radius / parts_[i].inner_radius);
      core.index = static_cast<std::uint32_t>(hulls_.size());
      hulls_.push_back(std::move(smaller));
    }
    cores_.push_back(core);
  }
}

Result<std::uint32_t> ShapeSet::add(const ShapeDef& definition) {
  if (definition.parts.empty() || definition.parts.size() > limits::kPartsMax) {
    return Error{"a shape must have 1 to 1024 parts"};
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < definition.parts.size(); ++i) {
    Result<Piece> piece = piece_of(definition.parts[i]);
    if (piece && !all_finite(definition.parts[i])) {
      piece = Error{"sizes, points, spacing and heights must be finite"};
    }
    if (!piece) return piece.error().in_item("part", i);
    pieces.push_back(std::move(piece.value()));
  }
  Shape shape;
  std::vector<MassProperties> solids;
  for (const Piece& piece : pieces) {
    shape.movable = shape.movable && has_volume(piece.definition.kind);
    if (shape.movable) solids.push_back(mass_properties(piece.definition, piece.hull));
  }
  if (shape.movable) shape.mass = joined(solids);
  shape.first_part = static_cast<std::uint32_t>(parts_.size());
  shape.parts = static_cast<std::uint32_t>(pieces.size());
  shape.inner_radius = kInfinity;
  for (Piece& piece : pieces) {
    Part part = part_in(shape.mass.frame, piece.definition);
    part.reach = reach_of(part, piece);
    shape.reach = std::max(shape.reach, part.reach);
    part.inner_radius = inner_radius_of(part, piece.hull);
    shape.inner_radius = std::min(shape.inner_radius, part.inner_radius);
    if (part.kind == ShapeKind::hull) {
      part.index = static_cast<std::uint32_t>(hulls_.size());
      hulls_.push_back(std::move(piece.hull));
    }
    if (is_surface(part.kind)) {
      part.index = static_cast<std::uint32_t>(meshes_.size());
      meshes_.push_back(std::move(piece.mesh));
    }
    shape.has_sensor = shape.has_sensor || part.filter.sensor;
    parts_.push_back(part);
  }
  add_cores(shape);
  any_sensor_ = any_sensor_ || shape.has_sensor;
  shapes_.push_back(shape);
  return size() - 1;
}

std::uint32_t ShapeSet::filtered(std::uint32_t shape, std::uint32_t category, std::uint32_t mask) {
  ORRERY_ASSERT(shape < size() && cores_.size() == parts_.size());
  const auto is_it = [&](const Filtered& f) {
    return f.original == shape && f.category == category && f.mask == mask;
  };
  auto at = std::find_if(filtered_.begin(), filtered_.end(), is_it);
  if (at == filtered_.end()) {
    at = std::find_if(filtered_.begin(), filtered_.end(),
                      [&](const Filtered& f) { return f.original == shape && f.uses == 0; });
  }
  if (at == filtered_.end()) {
    Shape copy = shapes_[shape];
    const std::size_t first = copy.first_part, end = first + copy.parts;
    copy.first_part = static_cast<std::uint32_t>(parts_.size());
    for (std::size_t i = first; i < end; ++i) {
      parts_.push_back(Part(parts_[i]));
      cores_.push_back(Part(cores_[i]));
    }
    at = filtered_.insert(filtered_.end(), Filtered{size(), shape, 0, 0, 0});
    shapes_.push_back(copy);
  }
  const Shape& made = shapes_[at->shape];
  for (std::size_t i = made.first_part; i < made.first_part + made.parts; ++i) {
    for (Part* const part : {&parts_[i], &cores_[i]}) {
      part->filter.category = category;
      part->filter.mask = mask;
    }
  }
  at->category = category;
  at->mask = mask;
  ++at->uses;
  return at->shape;
}

void ShapeSet::release(std::uint32_t shape) {
  const auto at = std::find_if(filtered_.begin(), filtered_.end(),
                               [&](const Filtered& f) { return f.shape == shape; });
  if (at == filtered_.end()) return;
  ORRERY_ASSERT(at->uses > 0);
  --at->uses;
}

Aabb bounds(const ShapeSet& shapes, const Part& part, const Pose& body) {
  const Vec3 centre = transform(body, part.position);
  const Mat3 axes = rotation(body.orientation * part.orientation);
  if (part.kind == ShapeKind::hull) {
    const std::vector<Vec3>& vertices = shapes.hull(part).vertices;
    const Vec3 first = axes * vertices[0];
    Aabb box{first, first};
    for (const Vec3& vertex : vertices) {
      const Vec3 p = axes * vertex;
      box = {lesser(box.lower, p), greater(box.upper, p)};
    }
    return {centre + box.lower, centre + box.upper};
  }
  if (is_surface(part.kind)) {
    const Aabb& box = shapes.mesh(part).bounds;
    const Vec3 middle = centre + axes * (0.5 * (box.lower + box.upper));
    const Vec3 half = half_size(0.5 * (box.upper - box.lower), axes);
    return {middle - half, middle + half};
  }
  const Vec3 half = half_size(part, axes);
  return {centre - half, centre + half};
}

}  // namespace orrery::physics
