// Owns what a shape is made of: its checks, mass properties, axes and bounds.
#include "common/physics/shape.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <string>

#include "common/core/limits.h"
#include "common/integrate/symmetric_eigen.h"
#include "common/math/mat3.h"

namespace orrery {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Mass and moment of inertia about the origin of a common frame, as a symmetric 3x3 matrix.
struct MassSum {
  double mass = 0;
  Vec3 moment;  // mass times centre
  std::array<double, 9> inertia{};
};

bool within(double value, double least, double most) { return value >= least && value <= most; }

bool within(const Vec3& v, double least, double most) {
  return within(v.x, least, most) && within(v.y, least, most) && within(v.z, least, most);
}

// Empty if all is well.
std::string fault_of_size(const PartDef& part) {
  constexpr double kLeast = limits::kExtentMin;
  constexpr double kMost = limits::kExtentMax;
  const bool round = part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule;
  if (round && !within(part.radius, kLeast, kMost)) return "radius must be from 1e-6 to 1e9";
  if (part.kind == ShapeKind::capsule && !within(part.half_length, kLeast, kMost)) {
    return "half_length must be from 1e-6 to 1e9";
  }
  if (part.kind == ShapeKind::box && !within(part.half_extents, kLeast, kMost)) {
    return "half_extents must be from 1e-6 to 1e9";
  }
  return {};
}

std::string fault_of(const PartDef& part) {
  const Vec3& p = part.pose.position;
  const Quat& q = part.pose.orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!within(p, -limits::kExtentMax, limits::kExtentMax)) {
    return "position must be within 1e9 of the origin of the shape";
  }
  if (!within(norm, 1 - 1e-6, 1 + 1e-6)) return "orientation must be a quaternion of length 1";
  if (!within(part.density, limits::kDensityMin, limits::kDensityMax)) {
    return "density must be from 1e-9 to 1e12";
  }
  if (!within(part.material.friction, 0, limits::kFrictionMax)) {
    return "friction must be from 0 to 1000";
  }
  if (!within(part.material.restitution, 0, 1)) return "restitution must be from 0 to 1";
  if (!within(part.material.rolling_resistance, 0, limits::kExtentMax)) {
    return "rolling_resistance must be from 0 to 1e9";
  }
  return fault_of_size(part);
}

// Of a part about its own centre and along its own axes, for the parts whose axes are principal.
MassProperties solid(const PartDef& part) {
  ORRERY_ASSERT(part.density > 0);
  constexpr double kPi = std::numbers::pi;
  const double r = part.radius;
  if (part.kind == ShapeKind::sphere) {
    const double mass = part.density * (4.0 / 3 * kPi * r * r * r);
    const double i = 0.4 * mass * r * r;
    return {mass, {i, i, i}, part.pose};
  }
  if (part.kind == ShapeKind::capsule) {
    // A cylinder, and two half balls whose centres of mass are 3/8 r beyond its ends.
    const double h = part.half_length;
    const double cylinder = part.density * (2 * kPi * r * r * h);
    const double ball = part.density * (4.0 / 3 * kPi * r * r * r);
    const double along = (0.5 * cylinder + 0.4 * ball) * r * r;
    const double across =
        cylinder * (r * r / 4 + h * h / 3) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    return {cylinder + ball, {across, along, across}, part.pose};
  }
  ORRERY_ASSERT(part.kind == ShapeKind::box);
  const Vec3& e = part.half_extents;
  const double mass = part.density * (8 * e.x * e.y * e.z);
  const double third = mass / 3;
  return {mass,
          {third * (e.y * e.y + e.z * e.z), third * (e.x * e.x + e.z * e.z),
           third * (e.x * e.x + e.y * e.y)},
          part.pose};
}

// Adds m (|d|^2 1 - d d^T).
void add_point_mass(std::array<double, 9>& inertia, double mass, const Vec3& d) {
  const double v[3] = {d.x, d.y, d.z};
  const double squared = dot(d, d);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      inertia[3 * i + j] += mass * ((i == j ? squared : 0) - v[i] * v[j]);
    }
  }
}

void add_solid(MassSum& sum, const MassProperties& solid) {
  ORRERY_ASSERT(solid.mass > 0);
  const Mat3 r = rotation(solid.frame.orientation);
  const double column[3][3] = {{r.x.x, r.x.y, r.x.z}, {r.y.x, r.y.y, r.y.z}, {r.z.x, r.z.y, r.z.z}};
  const double principal[3] = {solid.inertia.x, solid.inertia.y, solid.inertia.z};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        sum.inertia[3 * i + j] += principal[k] * column[k][i] * column[k][j];
      }
    }
  }
  add_point_mass(sum.inertia, solid.mass, solid.frame.position);
  sum.mass += solid.mass;
  sum.moment += solid.mass * solid.frame.position;
}

// The quaternion of a rotation matrix, from the largest of its four squares (Shepperd 1978).
Quat quaternion(const Mat3& m) {
  const double trace = m.x.x + m.y.y + m.z.z;
  Quat q;
  if (trace >= m.x.x && trace >= m.y.y && trace >= m.z.z) {
    q = {m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, 1 + trace};
  } else if (m.x.x >= m.y.y && m.x.x >= m.z.z) {
    q = {1 + m.x.x - m.y.y - m.z.z, m.x.y + m.y.x, m.x.z + m.z.x, m.y.z - m.z.y};
  } else if (m.y.y >= m.z.z) {
    q = {m.x.y + m.y.x, 1 + m.y.y - m.x.x - m.z.z, m.y.z + m.z.y, m.z.x - m.x.z};
  } else {
    q = {m.x.z + m.z.x, m.y.z + m.z.y, 1 + m.z.z - m.x.x - m.y.y, m.x.y - m.y.x};
  }
  return normalized(q);
}

// Centre of mass, and the axes in which the inertia about it is diagonal.
MassProperties principal(MassSum sum) {
  ORRERY_ASSERT(sum.mass > 0);
  MassProperties result;
  result.mass = sum.mass;
  result.frame.position = (1 / sum.mass) * sum.moment;
  add_point_mass(sum.inertia, -sum.mass, result.frame.position);
  std::array<double, 9> vectors;
  integrate::diagonalize<double>(sum.inertia, vectors, 3);
  Mat3 axes{{vectors[0], vectors[3], vectors[6]},
            {vectors[1], vectors[4], vectors[7]},
            {vectors[2], vectors[5], vectors[8]}};
  if (dot(cross(axes.x, axes.y), axes.z) < 0) axes.z = -axes.z;
  result.inertia = {sum.inertia[0], sum.inertia[4], sum.inertia[8]};
  result.frame.orientation = quaternion(axes);
  return result;
}

bool has_volume(ShapeKind kind) { return kind <= ShapeKind::hull; }

MassProperties mass_properties(const ShapeDef& definition) {
  ORRERY_ASSERT(!definition.parts.empty());
  // A single part keeps its axes, to the last bit.
  if (definition.parts.size() == 1) return solid(definition.parts[0]);
  MassSum sum;
  for (const PartDef& part : definition.parts) add_solid(sum, solid(part));
  return principal(sum);
}

// Half of the size of the box around a part, along the axes of m, which turns part into box axes.
Vec3 half_size(const Part& part, const Mat3& m) {
  const auto magnitude = [](double x) { return x < 0 ? -x : x; };
  const Vec3& e = part.half_extents;
  switch (part.kind) {
    case ShapeKind::sphere:
      return {part.radius, part.radius, part.radius};
    case ShapeKind::capsule:
      return {part.radius + magnitude(m.y.x) * part.half_length,
              part.radius + magnitude(m.y.y) * part.half_length,
              part.radius + magnitude(m.y.z) * part.half_length};
    case ShapeKind::box:
      return {magnitude(m.x.x) * e.x + magnitude(m.y.x) * e.y + magnitude(m.z.x) * e.z,
              magnitude(m.x.y) * e.x + magnitude(m.y.y) * e.y + magnitude(m.z.y) * e.z,
              magnitude(m.x.z) * e.x + magnitude(m.y.z) * e.y + magnitude(m.z.z) * e.z};
    default:
      return {kInfinity, kInfinity, kInfinity};
  }
}

double reach_of(const Part& part) {
  const Vec3& e = part.half_extents;
  const Vec3 tip = rotate(part.orientation, {0, part.half_length, 0});
  switch (part.kind) {
    case ShapeKind::sphere:
      return length(part.position) + part.radius;
    case ShapeKind::capsule:
      return std::max(length(part.position + tip), length(part.position - tip)) + part.radius;
    case ShapeKind::box: {
      const Vec3 p = rotate_back(part.orientation, part.position);
      const auto magnitude = [](double x) { return x < 0 ? -x : x; };
      return length({magnitude(p.x) + e.x, magnitude(p.y) + e.y, magnitude(p.z) + e.z});
    }
    default:
      return kInfinity;
  }
}

double inner_radius_of(const Part& part) {
  if (part.kind == ShapeKind::box) {
    return std::min({part.half_extents.x, part.half_extents.y, part.half_extents.z});
  }
  return part.radius;
}

// In the coordinates of a body whose frame in those of the definition is given.
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
  part.reach = reach_of(part);
  return part;
}

}  // namespace

Result<std::uint32_t> ShapeSet::add(const ShapeDef& definition) {
  if (definition.parts.empty() || definition.parts.size() > limits::kPartsMax) {
    return Error{"a shape must have 1 to 1024 parts"};
  }
  Shape shape;
  for (std::size_t i = 0; i < definition.parts.size(); ++i) {
    const PartDef& part = definition.parts[i];
    if (part.kind > ShapeKind::plane || part.kind == ShapeKind::hull) {
      return Error{"part " + std::to_string(i) + ": kind is not known"};
    }
    if (const std::string fault = fault_of(part); !fault.empty()) {
      return Error{"part " + std::to_string(i) + ": " + fault};
    }
    shape.movable = shape.movable && has_volume(part.kind);
  }
  if (shape.movable) shape.mass = mass_properties(definition);
  shape.first_part = static_cast<std::uint32_t>(parts_.size());
  shape.parts = static_cast<std::uint32_t>(definition.parts.size());
  shape.inner_radius = kInfinity;
  for (const PartDef& part : definition.parts) {
    parts_.push_back(part_in(shape.mass.frame, part));
    shape.reach = std::max(shape.reach, parts_.back().reach);
    shape.inner_radius = std::min(shape.inner_radius, inner_radius_of(parts_.back()));
  }
  shapes_.push_back(shape);
  return size() - 1;
}

Aabb bounds(const ShapeSet&, const Part& part, const Pose& body) {
  const Vec3 centre = transform(body, part.position);
  const Vec3 half = half_size(part, rotation(body.orientation * part.orientation));
  return {centre - half, centre + half};
}

}  // namespace orrery
