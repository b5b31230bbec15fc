// Declares the collision functions for pairs of simple shapes; internal to this folder.
#pragma once

#include <cstdint>
#include <span>

#include "common/math/mat3.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// A part in world axes. `centre` is relative to the position of body A of the pair.
struct PlacedPart {
  const Part& part;
  Vec3 centre;
  Mat3 axes;
};

// Places a part of a body with the pose `body`. `origin` is the position of body A of the pair.
inline PlacedPart placed(const Part& part, const Pose& body, const Vec3& origin) {
  return {part, (body.position - origin) + rotate(body.orientation, part.position),
          rotation(body.orientation * part.orientation)};
}

// Compute the manifold of a pair, with the normal from a to b. Return false if the parts are
// farther apart than `margin`.
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

// Sets the points of a manifold. Keeps all candidates if there are at most four. Otherwise chooses
// up to four that span a large area:
//
// 1. the deepest,
// 2. the farthest from point 1,
// 3. the one that makes the largest triangle with points 1 and 2,
// 4. the one that adds most area to this triangle.
//
// A later candidate must be clearly better than an earlier one, so that rounding does not change
// the choice from tick to tick.
// REQUIRES: at least one candidate, and manifold.normal is set.
void keep_four(std::span<const ManifoldPoint> candidates, double margin, Manifold& manifold);

}  // namespace orrery::physics
