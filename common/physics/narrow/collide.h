// Declares the collision functions of single kinds of pairs; internal to this folder.
#pragma once

#include <cstdint>
#include <span>

#include "common/math/mat3.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// A part in world axes. The centres of both parts of a pair are relative to the position of body A.
struct PlacedPart {
  const Part& part;
  Vec3 centre;
  Mat3 axes;
};

// Places a part of a body at a pose. `origin` is the position of body A.
inline PlacedPart placed(const Part& part, const Pose& body, const Vec3& origin) {
  return {part, (body.position - origin) + rotate(body.orientation, part.position),
          rotation(body.orientation * part.orientation)};
}

// Each function computes the manifold of its pair, with the normal from a to b. It returns false if
// the parts are farther apart than `margin`.
bool collide_spheres(const PlacedPart& a, const PlacedPart& b, double margin, Manifold& manifold);
bool collide_sphere_box(const PlacedPart& a, const PlacedPart& b, double margin,
                        Manifold& manifold);
bool collide_sphere_plane(const PlacedPart& a, const PlacedPart& b, double margin,
                          Manifold& manifold);
bool collide_capsules(const PlacedPart& a, const PlacedPart& b, double margin, Manifold& manifold);
bool collide_sphere_capsule(const PlacedPart& a, const PlacedPart& b, double margin,
                            Manifold& manifold);
bool collide_capsule_plane(const PlacedPart& a, const PlacedPart& b, double margin,
                           Manifold& manifold);
bool collide_boxes(const PlacedPart& a, const PlacedPart& b, double margin, Manifold& manifold);
bool collide_box_plane(const PlacedPart& a, const PlacedPart& b, double margin, Manifold& manifold);

// Reduces candidates to at most four points that span a large area: the deepest, the farthest from
// it, the one that makes the largest triangle with these two, and the one that adds most area to
// that triangle. A later candidate must be clearly better than an earlier one, so that rounding
// does not change the choice from tick to tick.
// REQUIRES: at least one candidate, and manifold.normal is set.
void keep_four(std::span<const ManifoldPoint> candidates, double margin, Manifold& manifold);

}  // namespace orrery::physics
