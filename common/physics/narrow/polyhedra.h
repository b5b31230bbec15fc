// Computes contacts of polyhedra by separating axes (SAT) and face clipping.
#pragma once

#include <cstdint>
#include <span>

#include "common/physics/narrow/core_shape.h"

namespace orrery::physics {

// A separating axis along a face normal.
struct FaceAxis {
  double separation = -1e300;  // -1e300: there are no faces
  std::uint32_t face = 0;
};

// Returns the face of a with the largest separation from b (negative: overlap).
FaceAxis best_face(const CoreShape& a, const CoreShape& b);

// A separating axis along the cross product of two edges.
struct EdgeAxis {
  double separation = -1e300;  // -1e300: no pair of edges counts
  Vec3 normal;                 // from a to b
  std::uint32_t a = 0;         // index of the edge of core a
  std::uint32_t b = 0;         // index of the edge of core b
};

// Returns the pair of edges with the largest separation. Only pairs that form a face of the
// Minkowski difference count. They do if their arcs on the Gauss map cross (Gregorius, GDC 2013):
// the arc of an edge joins the normals of its two faces on the unit sphere. The arc of a segment is
// a full great circle.
// REQUIRES: a has faces.
EdgeAxis best_edges(const CoreShape& a, const CoreShape& b);

// Returns the contact point of two crossing edges, half way between them.
ManifoldPoint edge_point(const CoreShape& a, const CoreShape& b, const EdgeAxis& axis);

// Returns the face most opposed to a normal, among the faces at the support vertex of -normal.
// REQUIRES: the core has faces.
std::uint32_t face_against(const CoreShape& core, const Vec3& normal);

// Computes the manifold on the face `face` of `reference`. Finds the face of `incident` that is
// most opposed to this reference face, and clips it by planes through the sides of the reference
// face. Keeps up to four points within the margin, and sets manifold.normal to the normal of the
// reference face. Returns false if no point is left. `first` tells whether the feature ids name the
// reference as body A (true) or as body B.
bool face_contact(const CoreShape& reference, std::uint32_t face, const CoreShape& incident,
                  bool first, double margin, Manifold& manifold);

// Returns the smallest separation of the points of a manifold.
// REQUIRES: it has a point.
double min_separation(const Manifold& manifold);

// Returns true if the smallest separation of a manifold is near `separation`, that of the best
// separating axis. A clipped face fails this if the bodies in fact touch at crossing edges, or at
// another face.
bool matches_separation(const Manifold& manifold, double separation, double margin);

// Clips the segment of a capsule to the prism through the sides of a face. Each end of the clipped
// segment makes a point if the capsule's surface is at most `margin` above the face there. Returns
// false if there is no point. The normal points from the capsule into the face. Feature ids 1 and 2
// are the capsule's own ends, 3 and 4 are cuts at the sides of the face.
bool capsule_on_face(const CoreShape& capsule, const CoreShape& solid, std::uint32_t face,
                     double margin, Manifold& manifold);

// Collide two cores: a sphere or capsule with a solid (a box, hull or triangle), two solids, or a
// solid with a plane. The normal points from the first to the second, as in collide.h.
bool collide_round_solid(const CoreShape& round, const CoreShape& solid, double margin,
                         Manifold& manifold);
bool collide_solids(const CoreShape& a, const CoreShape& b, double margin, Manifold& manifold);
bool collide_solid_plane(const CoreShape& solid, const PlacedPart& plane, double margin,
                         Manifold& manifold);

}  // namespace orrery::physics
