// Computes the distance of convex cores by GJK (Gilbert, Johnson, Keerthi 1988).
#include "common/core/assert.h"
#include "common/physics/narrow/core_shape.h"

namespace orrery::physics {
namespace {

// A safety limit: usually the loop ends earlier, when the distance no longer shrinks.
constexpr int kIterationsMax = 64;
// The loop ends when the distance found so far is at most this fraction above its lower bound.
constexpr double kTolerance = 1e-14;
// Cores nearer than this fraction of the largest distance found between their vertices count as
// overlapping: the direction between them would be only rounding error.
constexpr double kTouch = 1e-10;

// A vertex of the Minkowski difference, and the vertices of a and b that it comes from.
struct Corner {
  Vec3 at;
  std::uint32_t a;
  std::uint32_t b;
  double weight;
};

// A simplex of up to four corners. When reduced() returns fewer than four, their weighted sum is
// the point of the simplex nearest to the origin.
struct Simplex {
  Corner corners[4];
  int count = 0;

  void keep(const Corner& p, double weight) {
    ORRERY_ASSERT(count < 4);
    corners[count] = p;
    corners[count++].weight = weight;
  }
};

Simplex nearest_of(const Corner& a) {
  Simplex kept;
  kept.keep(a, 1);
  return kept;
}

Simplex nearest_of(const Corner& a, const Corner& b) {
  const Vec3 ab = b.at - a.at;
  const double t = -dot(a.at, ab);
  const double whole = dot(ab, ab);
  if (!(t > 0)) return nearest_of(a);
  if (t >= whole) return nearest_of(b);
  Simplex kept;
  kept.keep(a, 1 - t / whole);
  kept.keep(b, t / whole);
  return kept;
}

// Finds the part of a triangle that is nearest to the origin: a corner, a side or the inside
// (Ericson, Real-Time Collision Detection, 5.1.5).
Simplex nearest_of(const Corner& a, const Corner& b, const Corner& c) {
  const Vec3 ab = b.at - a.at;
  const Vec3 ac = c.at - a.at;
  const double d1 = -dot(ab, a.at), d2 = -dot(ac, a.at);
  const double d3 = -dot(ab, b.at), d4 = -dot(ac, b.at);
  const double d5 = -dot(ab, c.at), d6 = -dot(ac, c.at);
  const double va = d3 * d6 - d5 * d4;
  const double vb = d5 * d2 - d1 * d6;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return nearest_of(a, b);
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return nearest_of(a, c);
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return nearest_of(b, c);
  if (d1 <= 0 && d2 <= 0) return nearest_of(a);
  if (d3 >= 0 && d4 <= d3) return nearest_of(b);
  if (d6 >= 0 && d5 <= d6) return nearest_of(c);
  const double sum = va + vb + vc;
  if (!(sum > 0)) return nearest_of(a, b);  // the corners are collinear
  Simplex kept;
  kept.keep(a, va / sum);
  kept.keep(b, vb / sum);
  kept.keep(c, vc / sum);
  return kept;
}

Vec3 point_of(const Simplex& simplex) {
  Vec3 point;
  for (int i = 0; i < simplex.count; ++i) {
    point += simplex.corners[i].weight * simplex.corners[i].at;
  }
  return point;
}

// A tetrahedron is flat if six times its volume is at most this fraction of the product of three
// sides that meet in a corner.
constexpr double kFlat = 1e-12;

// Returns true if the plane through a, b and c lies between the origin and d, or if the tetrahedron
// is flat.
bool beyond(const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
  const Vec3 ab = b.at - a.at;
  const Vec3 ac = c.at - a.at;
  const Vec3 ad = d.at - a.at;
  const Vec3 n = cross(ab, ac);
  const double origin = -dot(a.at, n);
  const double inner = dot(ad, n);
  if (inner * inner <= kFlat * kFlat * dot(ab, ab) * dot(ac, ac) * dot(ad, ad)) return true;
  return (origin > 0) != (inner > 0);
}

// Looks at the faces that have the origin on their outer side. Returns their corner, side or
// triangle nearest to the origin. Returns all four corners if there is no such face: the origin is
// inside.
Simplex nearest_of(const Corner (&p)[4]) {
  static constexpr int kSides[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  Simplex best;
  double least = 0;
  for (const auto& s : kSides) {
    if (!beyond(p[s[0]], p[s[1]], p[s[2]], p[s[3]])) continue;
    const Simplex side = nearest_of(p[s[0]], p[s[1]], p[s[2]]);
    const Vec3 v = point_of(side);
    if (best.count == 0 || dot(v, v) < least) {
      best = side;
      least = dot(v, v);
    }
  }
  if (best.count == 0) {
    best.count = 4;
    for (int i = 0; i < 4; ++i) best.corners[i] = p[i];
  }
  return best;
}

Simplex reduced(const Simplex& simplex) {
  ORRERY_ASSERT(simplex.count >= 1 && simplex.count <= 4);
  const auto& p = simplex.corners;
  switch (simplex.count) {
    case 1:
      return nearest_of(p[0]);
    case 2:
      return nearest_of(p[0], p[1]);
    case 3:
      return nearest_of(p[0], p[1], p[2]);
    default:
      return nearest_of(p);
  }
}

bool contains(const Simplex& simplex, const Corner& corner) {
  ORRERY_ASSERT(simplex.count <= 4);
  for (int i = 0; i < simplex.count; ++i) {
    if (simplex.corners[i].a == corner.a && simplex.corners[i].b == corner.b) return true;
  }
  return false;
}

}  // namespace

Nearest nearest_points(const CoreShape& a, const CoreShape& b) {
  const auto corner = [&](const Vec3& direction) {
    const std::uint32_t i = a.support(-direction);
    const std::uint32_t j = b.support(direction);
    return Corner{a.vertices()[i] - b.vertices()[j], i, j, 1};
  };
  Simplex simplex = nearest_of(corner(a.centre() - b.centre()));
  Vec3 v = simplex.corners[0].at;
  double size_squared = dot(v, v);
  for (int i = 0; i < kIterationsMax; ++i) {
    const Corner next = corner(v);
    const double squared = dot(v, v);
    size_squared = dot(next.at, next.at) > size_squared ? dot(next.at, next.at) : size_squared;
    if (squared <= kTouch * kTouch * size_squared) return {};
    if (squared - dot(v, next.at) <= kTolerance * squared || contains(simplex, next)) break;
    Simplex larger = simplex;
    larger.keep(next, 1);
    larger = reduced(larger);
    if (larger.count == 4) return {};
    const Vec3 nearer = point_of(larger);
    if (!(dot(nearer, nearer) < squared)) break;
    simplex = larger;
    v = nearer;
  }
  ORRERY_ASSERT(simplex.count >= 1 && simplex.count <= 3);
  const double distance = length(v);
  Nearest nearest{distance, (-1 / distance) * v, {}, {}};
  for (int i = 0; i < simplex.count; ++i) {
    const Corner& c = simplex.corners[i];
    nearest.on_a += c.weight * a.vertices()[c.a];
    nearest.on_b += c.weight * b.vertices()[c.b];
  }
  return nearest;
}

}  // namespace orrery::physics
