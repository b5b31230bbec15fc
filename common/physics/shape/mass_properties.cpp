// Computes the mass properties of solids and of sums of solids.
#include "common/physics/shape/mass_properties.h"

#include <array>
#include <numbers>

#include "common/core/assert.h"
#include "common/integrate/symmetric_eigen.h"
#include "common/math/mat3.h"

namespace orrery::physics {
namespace {

// A sum of masses with its moment of inertia about the origin of a common frame, a 3 x 3 matrix.
struct MassSum {
  double mass = 0;
  Vec3 moment;  // sum of mass times centre of mass
  std::array<double, 9> inertia{};
};

// Adds the parallel-axis term m (|d|^2 E - d d^T) of a mass m at d. E is the unit matrix.
void add_point_mass(std::array<double, 9>& inertia, double mass, const Vec3& d) {
  const double v[3] = {d.x, d.y, d.z};
  const double squared = dot(d, d);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      inertia[3 * i + j] += mass * ((i == j ? squared : 0) - v[i] * v[j]);
    }
  }
}

// Adds the inertia R diag(I) R^T of a solid and its parallel-axis term. I are its principal
// moments, and R rotates its principal axes to the common frame.
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

// Converts a rotation matrix to a quaternion. Starts from the largest of the four squared
// components, so that nothing cancels (Shepperd 1978).
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

// Returns the mass properties of a sum. The axes of its frame are those in which the inertia about
// the centre of mass is diagonal.
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

// Returns the mass properties of a hull. Its inertia is density (trace(S) E - S), with S the second
// moments of the volume and E the unit matrix.
MassProperties mass_of_hull(const Hull& hull, double density, const Pose& pose) {
  ORRERY_ASSERT(density > 0);
  ORRERY_ASSERT(hull.faces.size() >= 4);
  const VolumeMoments moments = volume_moments(hull);
  const auto& m = moments.second;
  const double trace = m[0] + m[4] + m[8];
  MassSum sum{density * moments.volume, density * moments.first, {}};
  for (std::size_t i = 0; i < 9; ++i) sum.inertia[i] = density * ((i % 4 == 0 ? trace : 0) - m[i]);
  MassProperties result = principal(sum);
  result.frame = pose * result.frame;
  return result;
}

}  // namespace

MassProperties mass_properties(const PartDef& part, const Hull& hull) {
  ORRERY_ASSERT(part.density > 0);
  constexpr double kPi = std::numbers::pi;
  const double r = part.radius;
  if (part.kind == ShapeKind::sphere) {
    const double mass = part.density * (4.0 / 3 * kPi * r * r * r);
    const double i = 0.4 * mass * r * r;
    return {mass, {i, i, i}, part.pose};
  }
  if (part.kind == ShapeKind::capsule) {
    // A cylinder and two half balls. The centres of mass of the half balls are 3/8 r beyond the
    // ends of the cylinder. `ball` is the mass of both together.
    const double h = part.half_length;
    const double cylinder = part.density * (2 * kPi * r * r * h);
    const double ball = part.density * (4.0 / 3 * kPi * r * r * r);
    const double along = (0.5 * cylinder + 0.4 * ball) * r * r;
    const double across =
        cylinder * (r * r / 4 + h * h / 3) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    return {cylinder + ball, {across, along, across}, part.pose};
  }
  if (part.kind == ShapeKind::hull) return mass_of_hull(hull, part.density, part.pose);
  ORRERY_ASSERT(part.kind == ShapeKind::box);
  const Vec3& e = part.half_extents;
  const double mass = part.density * (8 * e.x * e.y * e.z);
  const double third = mass / 3;
  return {mass,
          {third * (e.y * e.y + e.z * e.z), third * (e.x * e.x + e.z * e.z),
           third * (e.x * e.x + e.y * e.y)},
          part.pose};
}

MassProperties joined(std::span<const MassProperties> solids) {
  ORRERY_ASSERT(!solids.empty());
  // A single solid keeps its axes exactly.
  if (solids.size() == 1) return solids[0];
  MassSum sum;
  for (const MassProperties& solid : solids) add_solid(sum, solid);
  return principal(sum);
}

}  // namespace orrery::physics
