// Computes contacts of capsules with spheres, planes and each other.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/collide.h"

namespace orrery::physics {
namespace {

// Capsules within about 3 degrees of parallel may touch in two points.
constexpr double kAlongSineSquared = 0.0025;

// Axes nearer to each other than this fraction of the sum of their half lengths count as crossing:
// the direction between their nearest points would be only rounding error.
constexpr double kTouch = 1e-10;

// The segment at + t * along, -half <= t <= half, with the radius of its capsule.
struct Segment {
  Vec3 at;
  Vec3 along;
  double half;
  double radius;

  explicit Segment(const PlacedPart& p)
      : at(p.centre), along(p.axes.y), half(p.part.half_length), radius(p.part.radius) {}

  Vec3 point(double t) const { return at + t * along; }
  double nearest(const Vec3& p) const { return std::clamp(dot(p - at, along), -half, half); }
};

// Returns a unit vector perpendicular to a unit vector.
Vec3 square_to(const Vec3& unit) {
  const Vec3 v = unit.x * unit.x < 0.5 ? cross(unit, {1, 0, 0}) : cross(unit, {0, 1, 0});
  return (1 / length(v)) * v;
}

// Returns the parameters of the nearest points on a and b (Ericson, Real-Time Collision Detection,
// 5.1.9).
std::pair<double, double> nearest_points(const Segment& a, const Segment& b) {
  const Vec3 d = b.at - a.at;
  const double cosine = dot(a.along, b.along);
  const double da = dot(d, a.along), db = dot(d, b.along);
  const double sine_squared = 1 - cosine * cosine;
  double s = sine_squared > 1e-12 ? (da - cosine * db) / sine_squared : da / 2;
  s = std::clamp(s, -a.half, a.half);
  const double t = b.nearest(a.point(s));
  return {a.nearest(b.point(t)), t};
}

// Returns the contact normal: along d, the vector between the nearest points of the axes. If the
// axes cross, it is perpendicular to both.
Vec3 normal_along(const Vec3& d, const Segment& a, const Segment& b) {
  const double distance = length(d);
  if (distance > kTouch * (a.half + b.half)) return (1 / distance) * d;
  const Vec3 across = cross(a.along, b.along);
  const double size = length(across);
  return size > 1e-6 ? (1 / size) * across : square_to(a.along);
}

void add_point(Manifold& manifold, const Segment& a, const Segment& b, double s, double t,
               double margin, std::uint32_t feature) {
  const Vec3 p = a.point(s), q = b.point(t);
  const double separation = dot(q - p, manifold.normal) - (a.radius + b.radius);
  if (!(separation <= margin)) return;
  const Vec3 at = 0.5 * ((p + a.radius * manifold.normal) + (q - b.radius * manifold.normal));
  manifold.points[manifold.count++] = {at, separation, feature};
}

// Adds the two ends of the range in which parallel capsules face each other. Feature ids 1 and 2
// are ends of a, 3 and 4 ends of b.
void add_ends(Manifold& manifold, const Segment& a, const Segment& b, double margin) {
  const double lower_b = dot(b.point(-b.half) - a.at, a.along);
  const double upper_b = dot(b.point(b.half) - a.at, a.along);
  const double least = std::min(lower_b, upper_b), most = std::max(lower_b, upper_b);
  const double from = std::max(-a.half, least), to = std::min(a.half, most);
  if (!(from < to)) return;
  const std::uint32_t start = -a.half >= least ? 1 : (lower_b < upper_b ? 3 : 4);
  const std::uint32_t end = a.half <= most ? 2 : (lower_b < upper_b ? 4 : 3);
  add_point(manifold, a, b, from, b.nearest(a.point(from)), margin, start);
  add_point(manifold, a, b, to, b.nearest(a.point(to)), margin, end);
}

}  // namespace

bool collide_capsules(const PlacedPart& part_a, const PlacedPart& part_b, double margin,
                      Manifold& manifold) {
  ORRERY_ASSERT(part_a.part.kind == ShapeKind::capsule);
  ORRERY_ASSERT(part_b.part.kind == ShapeKind::capsule);
  const Segment a(part_a), b(part_b);
  const auto [s, t] = nearest_points(a, b);
  const Vec3 d = b.point(t) - a.point(s);
  const double reach = a.radius + b.radius + margin;
  if (!(dot(d, d) <= reach * reach)) return false;
  manifold.normal = normal_along(d, a, b);
  manifold.face_of_b = false;
  manifold.count = 0;
  const Vec3 across = cross(a.along, b.along);
  if (dot(across, across) < kAlongSineSquared) add_ends(manifold, a, b, margin);
  if (manifold.count < 2) {
    manifold.count = 0;
    add_point(manifold, a, b, s, t, 2 * margin, 0);  // within `margin` up to rounding
  }
  return manifold.count > 0;
}

bool collide_sphere_capsule(const PlacedPart& sphere, const PlacedPart& capsule, double margin,
                            Manifold& manifold) {
  ORRERY_ASSERT(sphere.part.kind == ShapeKind::sphere);
  ORRERY_ASSERT(capsule.part.kind == ShapeKind::capsule);
  const Segment b(capsule);
  const double radii = sphere.part.radius + b.radius;
  const Vec3 on_b = b.point(b.nearest(sphere.centre));
  const Vec3 d = on_b - sphere.centre;
  const double separation = length(d) - radii;
  if (!(separation <= margin)) return false;
  manifold.normal = normal_along(d, b, b);
  manifold.face_of_b = false;
  manifold.count = 1;
  const Vec3 surface = on_b - b.radius * manifold.normal;
  manifold.points[0] = {surface - (0.5 * separation) * manifold.normal, separation, 0};
  return true;
}

bool collide_capsule_plane(const PlacedPart& capsule, const PlacedPart& plane, double margin,
                           Manifold& manifold) {
  ORRERY_ASSERT(capsule.part.kind == ShapeKind::capsule);
  ORRERY_ASSERT(plane.part.kind == ShapeKind::plane);
  const Segment a(capsule);
  const Vec3& up = plane.axes.y;
  manifold.normal = -up;
  manifold.face_of_b = true;
  manifold.count = 0;
  for (std::uint32_t end = 0; end < 2; ++end) {
    const Vec3 p = a.point(end == 0 ? -a.half : a.half);
    const double height = dot(p - plane.centre, up);
    const double separation = height - a.radius;
    if (!(separation <= margin)) continue;
    const Vec3 at = p - (a.radius + 0.5 * separation) * up;
    manifold.points[manifold.count++] = {at, separation, end};
  }
  return manifold.count > 0;
}

}  // namespace orrery::physics
