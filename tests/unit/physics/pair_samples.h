// Parts, random vectors and rotations for tests of collision, and slow reference functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/core/rng.h"
#include "common/physics/narrow/core_shape.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery {

inline physics::Part part_of(physics::ShapeKind kind, double radius, const Vec3& half_extents = {},
                             double half_length = 0) {
  physics::Part part;
  part.kind = kind;
  part.radius = radius;
  part.half_extents = half_extents;
  part.half_length = half_length;
  part.reach = radius + half_length + length(half_extents);
  return part;
}

inline Vec3 random_vector(SplitMix64& random, double size) {
  const double x = size * random.symmetric();
  const double y = size * random.symmetric();
  return {x, y, size * random.symmetric()};
}

inline Quat random_turn(SplitMix64& random) {
  const Vec3 v = random_vector(random, 1);
  return normalized(Quat{v.x, v.y, v.z, 0.01 + random.symmetric()});
}

inline Vec3 random_direction(SplitMix64& random) {
  return rotate(random_turn(random), Vec3{0, 0, 1});
}

// Returns the distance of the segments from p to p + u and from q to q + v. It is the least of the
// distances at their four ends and at the inner minimum.
inline double segment_distance(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v) {
  const auto to_segment = [](const Vec3& x, const Vec3& s, const Vec3& d) {
    const double t = std::clamp(dot(x - s, d) / dot(d, d), 0.0, 1.0);
    return length(x - s - t * d);
  };
  double best = std::min(
      {to_segment(p, q, v), to_segment(p + u, q, v), to_segment(q, p, u), to_segment(q + v, p, u)});
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v);
  const double determinant = uu * vv - uv * uv;
  if (determinant > 1e-12 * uu * vv) {
    const double du = dot(q - p, u), dv = dot(q - p, v);
    const double s = (du * vv - dv * uv) / determinant;
    const double t = (du * uv - dv * uu) / determinant;
    if (s > 0 && s < 1 && t > 0 && t < 1) best = std::min(best, length(p + s * u - q - t * v));
  }
  return best;
}

// Returns the least distance from a point to a vertex of a core, or to a face of the core that has
// the point right above it. Edges are not considered.
inline double point_distance(const Vec3& p, const physics::CoreShape& core) {
  double best = 1e300;
  for (const physics::HullFace& face : core.faces()) {
    const auto corners = core.corners(face);
    const Vec3 n = core.normal(face);
    const Vec3 first = core.vertices()[corners[0].vertex];
    bool inside = true;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec3 a = core.vertices()[corners[i].vertex];
      const Vec3 b = core.vertices()[corners[(i + 1) % corners.size()].vertex];
      inside = inside && dot(cross(b - a, p - a), n) >= 0;
    }
    const double height = dot(p - first, n);
    if (inside && height >= 0) best = std::min(best, height);
  }
  for (const Vec3& vertex : core.vertices()) best = std::min(best, length(p - vertex));
  return best;
}

// Returns the distance of two disjoint cores by brute force over all features, independent of GJK.
inline double slow_distance(const physics::CoreShape& a, const physics::CoreShape& b) {
  double best = 1e300;
  for (const Vec3& p : a.vertices()) best = std::min(best, point_distance(p, b));
  for (const Vec3& p : b.vertices()) best = std::min(best, point_distance(p, a));
  const auto edges = [](const physics::CoreShape& core) {
    std::vector<std::pair<Vec3, Vec3>> list;
    for (const physics::HullEdge& e : core.edges()) {
      list.emplace_back(core.vertices()[e.from], core.edge_vector(e));
    }
    return list;
  };
  for (const auto& [p, u] : edges(a)) {
    for (const auto& [q, v] : edges(b)) best = std::min(best, segment_distance(p, u, q, v));
    for (const Vec3& q : b.vertices())
      best = std::min(best, segment_distance(p, u, q, {1e-9, 0, 0}));
  }
  for (const auto& [q, v] : edges(b)) {
    for (const Vec3& p : a.vertices())
      best = std::min(best, segment_distance(q, v, p, {1e-9, 0, 0}));
  }
  return best;
}

}  // namespace orrery
