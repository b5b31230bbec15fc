// Computes contacts of spheres.
#include "common/core/assert.h"
#include "common/physics/narrow/collide.h"

namespace orrery::physics {
namespace {

// Writes a manifold of one point. `surface` is the nearest point on the surface of b.
void set_point(const Vec3& normal, const Vec3& surface, double separation, Manifold& manifold) {
  manifold.normal = normal;
  manifold.face_of_b = true;
  manifold.count = 1;
  manifold.points[0] = {surface - (0.5 * separation) * normal, separation, 0};
}

}  // namespace

bool collide_spheres(const PlacedPart& a, const PlacedPart& b, double margin, Manifold& manifold) {
  ORRERY_ASSERT(a.part.kind == ShapeKind::sphere && b.part.kind == ShapeKind::sphere);
  const double radii = a.part.radius + b.part.radius;
  const Vec3 d = b.centre - a.centre;
  const double squared = dot(d, d);
  if (!(squared <= (radii + margin) * (radii + margin))) return false;
  const double distance = square_root(squared);
  // If the centres coincide, every normal is right: takes y.
  const Vec3 normal = distance > 0 ? (1 / distance) * d : Vec3{0, 1, 0};
  set_point(normal, b.centre - b.part.radius * normal, distance - radii, manifold);
  manifold.face_of_b = false;
  return true;
}

bool collide_sphere_plane(const PlacedPart& a, const PlacedPart& b, double margin,
                          Manifold& manifold) {
  ORRERY_ASSERT(a.part.kind == ShapeKind::sphere && b.part.kind == ShapeKind::plane);
  const Vec3& up = b.axes.y;
  const double height = dot(a.centre - b.centre, up);
  const double separation = height - a.part.radius;
  if (!(separation <= margin)) return false;
  set_point(-up, a.centre - height * up, separation, manifold);
  return true;
}

bool collide_sphere_box(const PlacedPart& a, const PlacedPart& b, double margin,
                        Manifold& manifold) {
  ORRERY_ASSERT(a.part.kind == ShapeKind::sphere && b.part.kind == ShapeKind::box);
  const Vec3 local = transposed_times(b.axes, a.centre - b.centre);
  const Vec3& e = b.part.half_extents;
  const Vec3 nearest = greater(-e, lesser(e, local));
  const Vec3 outward = local - nearest;
  const double squared = dot(outward, outward);
  const double reach = a.part.radius + margin;
  if (!(squared <= reach * reach)) return false;
  if (squared > 0) {
    const double distance = square_root(squared);
    set_point((-1 / distance) * (b.axes * outward), b.centre + b.axes * nearest,
              distance - a.part.radius, manifold);
    return true;
  }
  // The centre is inside the box: the nearest face gives the normal.
  const double depth[3] = {e.x - (local.x < 0 ? -local.x : local.x),
                           e.y - (local.y < 0 ? -local.y : local.y),
                           e.z - (local.z < 0 ? -local.z : local.z)};
  const double position[3] = {local.x, local.y, local.z};
  const Vec3 axes[3] = {b.axes.x, b.axes.y, b.axes.z};
  int face = 0;
  for (int i = 1; i < 3; ++i) face = depth[i] < depth[face] ? i : face;
  const Vec3 normal = position[face] < 0 ? axes[face] : -axes[face];
  set_point(normal, a.centre - depth[face] * normal, -depth[face] - a.part.radius, manifold);
  return true;
}

}  // namespace orrery::physics
