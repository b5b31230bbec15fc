// Owns the parts of contacts between polyhedra: the best axes, and faces clipped by faces.
#pragma once

#include <cstdint>
#include <span>

#include "common/physics/narrow/core_shape.h"

namespace orrery::physics {

struct FaceAxis {
  double separation = -1e300;  // none: no faces
  std::uint32_t face = 0;
};

// The face of a from which b is farthest, or least deep.
FaceAxis best_face(const CoreShape& a, const CoreShape& b);

struct EdgeAxis {
  double separation = -1e300;  // none: all edges are parallel
  Vec3 normal;                 // from a to b
  std::uint32_t a = 0;         // the edges
  std::uint32_t b = 0;
};

// The pair of edges whose planes part a and b the most. Only pairs that make a face of the
// difference of a and b count: their arcs on the Gauss map cross (Gregorius, GDC 2013). A segment's
// edge is an arc all around.
EdgeAxis best_edges(const CoreShape& a, const CoreShape& b);

// The point where the edges cross, half way between them.
ManifoldPoint edge_point(const CoreShape& a, const CoreShape& b, const EdgeAxis& axis);

// Clips the face of `incident` that looks most against a face of `reference` by that face's sides,
// and keeps up to four points that are within the margin of the face. The normal of the manifold is
// set to that of the reference face. False if no point is left. `first` says whether the reference
// is body A's: it goes into the names of the points.
bool face_contact(const CoreShape& reference, std::uint32_t face, const CoreShape& incident,
                  bool first, double margin, Manifold& manifold);

double least_separation(const Manifold& manifold);

// Whether the deepest point of a manifold is as deep as it should be. Clipped faces are not where
// edges cross, or where another face is as good.
bool shows_depth(const Manifold& manifold, double separation, double margin);

// The ends of a capsule's core, cut to what is over a face, at most `margin` over it. The normal
// points from the capsule into the face. Points at the capsule's own ends are named 1 and 2, at the
// sides of the face 3 and 4.
bool capsule_on_face(const CoreShape& capsule, const CoreShape& solid, std::uint32_t face,
                     double margin, Manifold& manifold);

// The contacts of cores: a sphere or capsule with a solid (a box, hull or triangle), two solids, a
// solid with a plane. As in collide.h: normal from the first to the second.
bool collide_round_solid(const CoreShape& round, const CoreShape& solid, double margin,
                         Manifold& manifold);
bool collide_solids(const CoreShape& a, const CoreShape& b, double margin, Manifold& manifold);
bool collide_solid_plane(const CoreShape& solid, const PlacedPart& plane, double margin,
                         Manifold& manifold);

}  // namespace orrery::physics
