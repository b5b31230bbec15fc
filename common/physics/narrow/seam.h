// Decides whether a plane separates two parts.
#pragma once

#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// A part and the pose of its body.
struct PosedPart {
  const Part& part;
  Pose body;
};

// The plane through the surface of a part that supports another part. Positions are relative to the
// body of the supported part.
struct SupportPlane {
  Vec3 up;            // unit length, from the supporter to the supported part
  double height = 0;  // of the plane along `up`
};

// Returns the plane of a manifold. `first` says whether the supported part is A. `to_a` is the
// vector from the body of the supported part to body A.
// REQUIRES: the manifold has a point.
SupportPlane support_plane(const Manifold& manifold, bool first, const Vec3& to_a);

// Returns true if the plane separates a part above it from another part below it, both to within
// `slop`. The two can then push each other along `up` only: a contact in another direction is at a
// seam between two supporters, without a step. Of a surface, only the triangles within `margin` of
// the part above count.
// REQUIRES: `above` is neither a plane nor a surface.
bool separates(const ShapeSet& shapes, const SupportPlane& plane, const PosedPart& above,
               const PosedPart& below, double slop, double margin);

}  // namespace orrery::physics
