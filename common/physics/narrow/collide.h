// Owns what the collision functions of single kinds of pairs share; for this folder alone.
#pragma once

#include <cstdint>
#include <span>

#include "common/math/mat3.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// A part in world axes; its centre counts from the position of body A, whichever side it is of.
struct PlacedPart {
  const Part& part;
  Vec3 centre;
  Mat3 axes;
};

inline PlacedPart placed(const Part& part, const Pose& body, const Vec3& origin) {
  return {part, (body.position - origin) + rotate(body.orientation, part.position),
          rotation(body.orientation * part.orientation)};
}

// Each gives the manifold of its pair, normal from a to b, or false if they are farther apart than
// margin.
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

// Keeps four of more points, such that they span much: the deepest, the farthest from it, the one
// that makes the largest triangle, the one that adds most to it. A candidate must be better by some
// to win over an earlier one, so that the choice does not flicker. Needs at least one candidate.
void keep_four(std::span<const ManifoldPoint> candidates, double margin, Manifold& manifold);

}  // namespace orrery::physics
