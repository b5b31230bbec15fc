// Builds the triangles of a convex hull by quickhull.
#include "common/physics/shape/hull.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/physics/shape/hull_faces.h"

namespace orrery::physics {
namespace {

// Two tolerances, as fractions of the size of the point set. A point becomes a vertex if it is
// outside the present hull by more than kOutside. A point set thinner than kThinnest counts as
// flat.
constexpr double kOutside = 1e-8;
constexpr double kThinnest = 1e-6;

// A directed side of a triangle.
struct Line {
  std::uint32_t from;
  std::uint32_t to;
};

HullTriangle triangle(std::span<const Vec3> points, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c) {
  ORRERY_ASSERT(a < points.size() && b < points.size() && c < points.size());
  const Vec3 across = cross(points[b] - points[a], points[c] - points[a]);
  const double size = length(across);
  const Vec3 normal = size > 0 ? (1 / size) * across : Vec3{};
  return {{a, b, c}, normal, dot(normal, points[a]), size};
}

// Returns the index of the point with the largest measure.
template <class Measure>
std::uint32_t most(std::span<const Vec3> points, const Measure& measure) {
  std::uint32_t best = 0;
  double value = measure(points[0]);
  for (std::uint32_t i = 1; i < points.size(); ++i) {
    const double candidate = measure(points[i]);
    if (candidate > value) {
      value = candidate;
      best = i;
    }
  }
  return best;
}

// Returns the triangles of a large tetrahedron of four of the points, or none if the points are
// thinner than `thinnest`.
std::vector<HullTriangle> first_triangles(std::span<const Vec3> points, double thinnest) {
  ORRERY_ASSERT(!points.empty());
  ORRERY_ASSERT(thinnest >= 0);
  const auto squared = [](const Vec3& v) { return dot(v, v); };
  const std::uint32_t a = most(points, [&](const Vec3& p) { return squared(p - points[0]); });
  const std::uint32_t b = most(points, [&](const Vec3& p) { return squared(p - points[a]); });
  const Vec3 ab = points[b] - points[a];
  std::uint32_t c = most(points, [&](const Vec3& p) { return squared(cross(ab, p - points[a])); });
  if (!(length(cross(ab, points[c] - points[a])) > thinnest * length(ab))) return {};
  HullTriangle base = triangle(points, a, b, c);
  const auto height = [&](const Vec3& p) { return dot(base.normal, p) - base.offset; };
  const std::uint32_t d = most(points, [&](const Vec3& p) { return height(p) * height(p); });
  if (!(height(points[d]) * height(points[d]) > thinnest * thinnest)) return {};
  if (height(points[d]) > 0) {
    base = triangle(points, a, c, b);
    return {base, triangle(points, a, b, d), triangle(points, b, c, d), triangle(points, c, a, d)};
  }
  return {base, triangle(points, b, a, d), triangle(points, c, b, d), triangle(points, a, c, d)};
}

// Returns the horizon of a point that sees the given triangles: their directed sides that have a
// hidden triangle on the other side.
std::vector<Line> horizon(const std::vector<HullTriangle>& visible) {
  ORRERY_ASSERT(!visible.empty());
  std::vector<Line> sides;
  for (const HullTriangle& t : visible) {
    for (int i = 0; i < 3; ++i) sides.push_back({t.vertices[i], t.vertices[(i + 1) % 3]});
  }
  std::vector<Line> rim;
  for (const Line& side : sides) {
    const bool inner = std::any_of(sides.begin(), sides.end(), [&](const Line& other) {
      return other.from == side.to && other.to == side.from;
    });
    if (!inner) rim.push_back(side);
  }
  return rim;
}

// Returns the index of the point that is farthest outside the plane of any triangle, or
// points.size() if no point is outside a plane by more than `tolerance`.
std::uint32_t farthest_outside(std::span<const Vec3> points,
                               const std::vector<HullTriangle>& triangles, double tolerance) {
  ORRERY_ASSERT(triangles.size() >= 4);
  auto best = static_cast<std::uint32_t>(points.size());
  double most_outside = tolerance;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    for (const HullTriangle& t : triangles) {
      const double outside = dot(t.normal, points[i]) - t.offset;
      if (outside > most_outside) {
        most_outside = outside;
        best = i;
      }
    }
  }
  return best;
}

// Replaces the triangles that see a point, or have it in their plane, by a fan of triangles that
// meet in the point.
void add_point(std::vector<HullTriangle>& triangles, std::span<const Vec3> points,
               std::uint32_t point, double tolerance) {
  ORRERY_ASSERT(point < points.size());
  ORRERY_ASSERT(tolerance > 0);
  std::vector<HullTriangle> visible;
  std::vector<HullTriangle> kept;
  for (const HullTriangle& t : triangles) {
    const bool sees = dot(t.normal, points[point]) - t.offset > -tolerance;
    (sees ? visible : kept).push_back(t);
  }
  for (const Line& side : horizon(visible)) {
    kept.push_back(triangle(points, side.from, side.to, point));
  }
  triangles = std::move(kept);
}

Error no_volume() {
  return Error::at("points", " must span a volume, and not be all in one plane");
}

}  // namespace

Result<Hull> make_hull(std::span<const Vec3> points) {
  if (points.size() < 4 || points.size() > limits::kHullPointsMax) {
    return Error{"a hull must have 4 to 4096 points", ErrorCode::invalid, {.key = "points"}};
  }
  const double most_allowed = limits::kExtentMax;
  for (const Vec3& p : points) {
    const auto within = [&](double x) { return x >= -most_allowed && x <= most_allowed; };
    if (!within(p.x) || !within(p.y) || !within(p.z)) {
      return Error::at("points", " must be within 1e9 of the origin of the part");
    }
  }
  // Coordinates relative to one of the points, so that no precision is lost far from the origin of
  // the part.
  std::vector<Vec3> local(points.begin(), points.end());
  for (Vec3& p : local) p -= points[0];
  double size = 0;
  for (const Vec3& p : local) size = std::max(size, length(p));
  std::vector<HullTriangle> triangles =
      first_triangles(local, std::max(limits::kExtentMin, kThinnest * size));
  if (triangles.empty()) return no_volume();
  const double tolerance = kOutside * size;
  // A bound on the rounds. Each round adds a vertex. A later round can put this vertex inside the
  // hull, but that is rare.
  constexpr int kRoundsMax = 4 * limits::kHullVerticesMax;
  for (int round = 0; round < kRoundsMax; ++round) {
    const std::uint32_t next = farthest_outside(local, triangles, tolerance);
    if (next == local.size()) break;
    add_point(triangles, local, next, tolerance);
    if (triangles.size() > 4 * limits::kHullVerticesMax) break;
  }
  Result<Hull> hull = merge_triangles(local, triangles, size);
  if (hull) translate(hull.value(), points[0]);
  return hull;
}

VolumeMoments volume_moments(const Hull& hull) {
  ORRERY_ASSERT(hull.faces.size() >= 4);
  VolumeMoments sum;
  for (const HullFace& face : hull.faces) {
    const HullCorner* corners = &hull.corners[face.first];
    for (std::size_t i = 2; i < face.corners; ++i) {
      const Vec3& a = hull.vertices[corners[0].vertex];
      const Vec3& b = hull.vertices[corners[i - 1].vertex];
      const Vec3& c = hull.vertices[corners[i].vertex];
      // The moments of the tetrahedron with corners 0, a, b, c. With det = a . (b x c) and
      // s = a + b + c:
      //
      //   volume det/6, first moment det/24 s, second moment det/120 (aa^T + bb^T + cc^T + ss^T)
      const double determinant = dot(a, cross(b, c));
      const Vec3 total = a + b + c;
      sum.volume += determinant / 6;
      sum.first += (determinant / 24) * total;
      const double v[4][3] = {
          {a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {total.x, total.y, total.z}};
      for (const auto& p : v) {
        for (std::size_t j = 0; j < 9; ++j) {
          sum.second[j] += determinant / 120 * p[j / 3] * p[j % 3];
        }
      }
    }
  }
  return sum;
}

void translate(Hull& hull, const Vec3& by) {
  for (Vec3& vertex : hull.vertices) vertex += by;
  for (HullFace& face : hull.faces) face.offset += dot(face.normal, by);
}

}  // namespace orrery::physics
