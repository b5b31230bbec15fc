// Measures two parts along the normal of a plane.
#include "common/physics/narrow/seam.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/collide.h"
#include "common/physics/narrow/core_shape.h"
#include "common/physics/narrow/surface.h"

namespace orrery::physics {
namespace {

double highest(const CoreShape& core, const Vec3& up) {
  ORRERY_ASSERT(!core.vertices().empty());
  return dot(core.vertices()[core.support(up)], up) + core.radius();
}

// Returns the height of the highest corner of the triangles near a core.
double highest_near(const PlacedSurface& surface, const CoreShape& core, const Vec3& up,
                    double margin) {
  ORRERY_ASSERT(margin >= 0);
  double most = -1e300;
  visit_triangles(surface, enlarged(box_in(surface, core), margin), [&](std::uint32_t t) {
    for (const Vec3& corner : surface.corners(t)) most = std::max(most, dot(corner, up));
  });
  return most;
}

}  // namespace

SupportPlane support_plane(const Manifold& manifold, bool first, const Vec3& to_a) {
  ORRERY_ASSERT(manifold.count >= 1 && manifold.count <= 4);
  SupportPlane plane{first ? -manifold.normal : manifold.normal, -1e300};
  for (std::uint32_t i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    const double height = dot(point.at + to_a, plane.up) - 0.5 * point.separation;
    plane.height = std::max(plane.height, height);
  }
  return plane;
}

bool separates(const ShapeSet& shapes, const SupportPlane& plane, const PosedPart& above,
               const PosedPart& below, double slop, double margin) {
  ORRERY_ASSERT(is_convex(above.part.kind) && above.part.kind != ShapeKind::plane);
  ORRERY_ASSERT(slop >= 0 && margin >= 0);
  if (below.part.kind == ShapeKind::plane) return false;
  const CoreShape core(shapes, placed(above.part, above.body, above.body.position));
  if (-highest(core, -plane.up) < plane.height - slop) return false;
  const PlacedPart other = placed(below.part, below.body, above.body.position);
  const double most = is_surface(below.part.kind)
                          ? highest_near({shapes, other}, core, plane.up, margin)
                          : highest(CoreShape(shapes, other), plane.up);
  return most <= plane.height + slop;
}

}  // namespace orrery::physics
