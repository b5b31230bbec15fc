// Owns which function a pair of parts goes to.
#include "common/physics/narrow_phase.h"

#include "common/core/assert.h"
#include "common/physics/collide.h"

namespace orrery {
namespace {

PlacedPart placed(const Part& part, const Pose& body, const Vec3& origin) {
  return {part, (body.position - origin) + rotate(body.orientation, part.position),
          rotation(body.orientation * part.orientation)};
}

constexpr unsigned pair_of(ShapeKind a, ShapeKind b) {
  return static_cast<unsigned>(a) << 8 | static_cast<unsigned>(b);
}

// Of kinds in the order of ShapeKind.
bool collide_ordered(const PlacedPart& a, const PlacedPart& b, double margin, Manifold& manifold) {
  using enum ShapeKind;
  switch (pair_of(a.part.kind, b.part.kind)) {
    case pair_of(sphere, sphere):
      return collide_spheres(a, b, margin, manifold);
    case pair_of(sphere, box):
      return collide_sphere_box(a, b, margin, manifold);
    case pair_of(sphere, plane):
      return collide_sphere_plane(a, b, margin, manifold);
    case pair_of(box, box):
      return collide_boxes(a, b, margin, manifold);
    case pair_of(box, plane):
      return collide_box_plane(a, b, margin, manifold);
    default:
      return false;
  }
}

}  // namespace

bool collide(const ShapeSet&, const Part& a, const Pose& pose_a, const Part& b, const Pose& pose_b,
             double margin, Manifold& manifold) {
  ORRERY_ASSERT(is_convex(a.kind) && is_convex(b.kind));
  ORRERY_ASSERT(margin >= 0);
  const PlacedPart placed_a = placed(a, pose_a, pose_a.position);
  const PlacedPart placed_b = placed(b, pose_b, pose_a.position);
  if (a.kind <= b.kind) return collide_ordered(placed_a, placed_b, margin, manifold);
  const bool touch = collide_ordered(placed_b, placed_a, margin, manifold);
  manifold.normal = -manifold.normal;
  return touch;
}

}  // namespace orrery
