// Intersects a ray with a part.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/collide.h"
#include "common/physics/shape/tree_walk.h"

namespace orrery::physics {
namespace {

// A ray in the axes of a part.
struct Ray {
  Vec3 from;
  Vec3 along;

  Vec3 at(double fraction) const { return from + fraction * along; }
};

// The stretch of a ray inside a convex part, with the outward normal at the entry. The normal is
// zero if the ray starts inside.
struct Stretch {
  double from = 0;
  double to = 1;
  Vec3 normal;

  bool empty() const { return !(from <= to); }

  // Cuts off the part of the stretch that is outside the plane dot(outward, x) = offset.
  void cut(const Ray& ray, const Vec3& outward, double offset) {
    const double height = dot(outward, ray.from) - offset;
    const double rate = dot(outward, ray.along);
    if (rate == 0) {
      if (height > 0) to = -1;
      return;
    }
    const double fraction = -height / rate;
    if (rate > 0) to = std::min(to, fraction);
    if (rate < 0 && fraction > from) {
      from = fraction;
      normal = outward;
    }
  }
};

std::optional<RayHit> hit_of(const Stretch& stretch) {
  if (stretch.empty()) return std::nullopt;
  return RayHit{stretch.from, stretch.normal};
}

// Cuts a stretch to the points within `radius` of the line through `centre` along the unit vector
// `axis` (a cylinder). With a zero axis, it cuts to the ball around `centre`.
void cut_round(Stretch& stretch, const Ray& ray, const Vec3& centre, const Vec3& axis,
               double radius) {
  ORRERY_ASSERT(radius > 0);
  const Vec3 d = ray.from - centre;
  const Vec3 offset = d - dot(d, axis) * axis;
  const Vec3 way = ray.along - dot(ray.along, axis) * axis;
  const double a = dot(way, way);
  // Solves relative to the point of the ray nearest to the axis: no precision is lost if the ray
  // starts far away.
  const double nearest = a > 0 ? -dot(offset, way) / a : 0;
  const Vec3 miss = offset + nearest * way;
  const double c = radius * radius - dot(miss, miss);
  if (c < 0) {
    stretch.to = -1;
    return;
  }
  if (a == 0) return;
  const double half = square_root(c / a);
  stretch.to = std::min(stretch.to, nearest + half);
  if (nearest - half > stretch.from) {
    stretch.from = nearest - half;
    stretch.normal = (1 / radius) * (miss - half * way);
  }
}

std::optional<RayHit> cast_sphere(const Ray& ray, const Vec3& centre, double radius) {
  ORRERY_ASSERT(radius > 0);
  Stretch stretch;
  cut_round(stretch, ray, centre, {}, radius);
  return hit_of(stretch);
}

std::optional<RayHit> cast_capsule(const Part& part, const Ray& ray) {
  ORRERY_ASSERT(part.radius > 0 && part.half_length > 0);
  const Vec3 axis{0, 1, 0};
  const Vec3 end{0, part.half_length, 0};
  // Finds the first hit of three shapes: the cylinder between the ends, and the ball at each end.
  Stretch side;
  side.cut(ray, axis, part.half_length);
  side.cut(ray, -axis, part.half_length);
  cut_round(side, ray, {}, axis, part.radius);
  std::optional<RayHit> best = hit_of(side);
  for (const Vec3& centre : {end, -end}) {
    const std::optional<RayHit> hit = cast_sphere(ray, centre, part.radius);
    if (hit && (!best || hit->fraction < best->fraction ||
                (hit->fraction == best->fraction && hit->normal == Vec3{}))) {
      best = hit;
    }
  }
  return best;
}

std::optional<RayHit> cast_box(const Part& part, const Ray& ray) {
  ORRERY_ASSERT(part.half_extents.x > 0);
  Stretch stretch;
  const Vec3& e = part.half_extents;
  stretch.cut(ray, {1, 0, 0}, e.x);
  stretch.cut(ray, {-1, 0, 0}, e.x);
  stretch.cut(ray, {0, 1, 0}, e.y);
  stretch.cut(ray, {0, -1, 0}, e.y);
  stretch.cut(ray, {0, 0, 1}, e.z);
  stretch.cut(ray, {0, 0, -1}, e.z);
  return hit_of(stretch);
}

std::optional<RayHit> cast_hull(const Hull& hull, const Ray& ray) {
  ORRERY_ASSERT(hull.faces.size() >= 4);
  Stretch stretch;
  for (const HullFace& face : hull.faces) stretch.cut(ray, face.normal, face.offset);
  return hit_of(stretch);
}

std::optional<RayHit> cast_plane(const Ray& ray) {
  Stretch stretch;
  stretch.cut(ray, {0, 1, 0}, 0);
  return hit_of(stretch);
}

// Returns true if the ray meets a box before the fraction `before`.
bool meets_box(const Ray& ray, const Aabb& box, double before) {
  Stretch stretch;
  stretch.to = before;
  stretch.cut(ray, {1, 0, 0}, box.upper.x);
  stretch.cut(ray, {-1, 0, 0}, -box.lower.x);
  stretch.cut(ray, {0, 1, 0}, box.upper.y);
  stretch.cut(ray, {0, -1, 0}, -box.lower.y);
  stretch.cut(ray, {0, 0, 1}, box.upper.z);
  stretch.cut(ray, {0, 0, -1}, -box.lower.z);
  return !stretch.empty();
}

// Relative tolerance of the test that a ray passes inside the sides of a triangle. Without it
// rounding could let a ray pass between two adjacent triangles.
constexpr double kRim = 1e-14;

// Returns the hit on a triangle. A ray from behind the triangle does not hit it.
std::optional<RayHit> cast_triangle(const std::array<Vec3, 3>& corners, const Ray& ray) {
  const Vec3 a = corners[0] - ray.from, b = corners[1] - ray.from, c = corners[2] - ray.from;
  const Vec3 across = cross(b - a, c - a);
  const double rate = dot(across, ray.along);
  if (!(rate < 0)) return std::nullopt;
  const Vec3 back = -ray.along;
  const double far = std::max({dot(a, a), dot(b, b), dot(c, c)});
  const double least = -kRim * far * length(back);
  if (dot(back, cross(a, b)) < least || dot(back, cross(b, c)) < least ||
      dot(back, cross(c, a)) < least) {
    return std::nullopt;
  }
  const double fraction = dot(across, a) / rate;
  if (!(fraction >= 0 && fraction <= 1)) return std::nullopt;
  return RayHit{fraction, (1 / length(across)) * across};
}

std::optional<RayHit> cast_surface(const TriangleMesh& mesh, const Ray& ray) {
  ORRERY_ASSERT(!mesh.tree.empty());
  std::optional<RayHit> best;
  walk(
      mesh.tree, [&](const Aabb& box) { return meets_box(ray, box, best ? best->fraction : 1); },
      [&](std::uint32_t triangle) {
        const std::optional<RayHit> hit = cast_triangle(mesh.corners(triangle), ray);
        if (hit && (!best || hit->fraction < best->fraction)) best = hit;
      });
  return best;
}

}  // namespace

std::optional<RayHit> cast_ray(const ShapeSet& shapes, const Part& part, const Pose& body,
                               const Vec3& origin, const Vec3& along) {
  const PlacedPart placed_part = placed(part, body, origin);
  const Ray ray{transposed_times(placed_part.axes, -placed_part.centre),
                transposed_times(placed_part.axes, along)};
  std::optional<RayHit> hit;
  switch (part.kind) {
    case ShapeKind::sphere:
      hit = cast_sphere(ray, {}, part.radius);
      break;
    case ShapeKind::capsule:
      hit = cast_capsule(part, ray);
      break;
    case ShapeKind::box:
      hit = cast_box(part, ray);
      break;
    case ShapeKind::hull:
      hit = cast_hull(shapes.hull(part), ray);
      break;
    case ShapeKind::plane:
      hit = cast_plane(ray);
      break;
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      hit = cast_surface(shapes.mesh(part), ray);
      break;
  }
  if (hit) hit->normal = placed_part.axes * hit->normal;
  return hit;
}

}  // namespace orrery::physics
