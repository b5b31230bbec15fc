// Computes contacts of solids (boxes, hulls, triangles) with round parts, planes and each other.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/polyhedra.h"

namespace orrery::physics {
namespace {

// Fractions of the contact margin that keep the choice of the axis stable under rounding. A face of
// B is preferred to a face of A only if its separation is larger by more than kFaceShare. In
// collide_deep(), edges are preferred to a face in the same way, with kEdgeShare.
constexpr double kFaceShare = 0.05;
constexpr double kEdgeShare = 0.25;

// A capsule lies on a face, and touches in two points, if the direction to the nearest point is
// within about 6 degrees of the face normal.
constexpr double kOnFaceCosine = 0.995;

void one_point(const CoreShape& a, const CoreShape& b, const Vec3& normal, const Vec3& on_a,
               const Vec3& on_b, Manifold& manifold) {
  const double separation = dot(on_b - on_a, normal) - (a.radius() + b.radius());
  manifold.normal = normal;
  manifold.face_of_b = true;
  manifold.count = 1;
  manifold.points[0] = {0.5 * ((on_a + a.radius() * normal) + (on_b - b.radius() * normal)),
                        separation, 0};
}

// Returns the face with the normal nearest to a direction.
std::uint32_t face_along(const CoreShape& core, const Vec3& direction) {
  ORRERY_ASSERT(!core.faces().empty());
  std::uint32_t best = 0;
  double most = -2;
  for (std::uint32_t f = 0; f < core.faces().size(); ++f) {
    const double cosine = dot(core.normal(core.faces()[f]), direction);
    if (cosine > most) {
      most = cosine;
      best = f;
    }
  }
  return best;
}

// Computes the contact of a sphere or capsule with a core that overlaps a solid. The contact pushes
// the core out through the face of least overlap. If an edge axis is clearly better, it pushes a
// capsule out along that axis.
void collide_deep(const CoreShape& round, const CoreShape& solid, double margin,
                  Manifold& manifold) {
  ORRERY_ASSERT(round.faces().empty() && !solid.faces().empty());
  ORRERY_ASSERT(margin >= 0);
  const FaceAxis face = best_face(solid, round);
  const EdgeAxis edges = best_edges(solid, round);
  if (edges.separation > face.separation + kEdgeShare * margin) {
    const ManifoldPoint point = edge_point(solid, round, edges);
    const Vec3 half = (0.5 * edges.separation) * edges.normal;
    one_point(round, solid, -edges.normal, point.at + half, point.at - half, manifold);
    return;
  }
  const bool capsule = round.vertices().size() == 2;
  if (capsule && capsule_on_face(round, solid, face.face, margin, manifold)) return;
  const Vec3 n = solid.normal(solid.faces()[face.face]);
  const Vec3& deepest = round.vertices()[round.support(-n)];
  one_point(round, solid, -n, deepest, deepest - face.separation * n, manifold);
}

}  // namespace

bool capsule_on_face(const CoreShape& capsule, const CoreShape& solid, std::uint32_t face_index,
                     double margin, Manifold& manifold) {
  ORRERY_ASSERT(capsule.vertices().size() == 2);
  const HullFace& face = solid.faces()[face_index];
  const Vec3 n = solid.normal(face);
  const auto sides = solid.corners(face);
  const Vec3& start = capsule.vertices()[0];
  const Vec3 along = capsule.vertices()[1] - start;
  double from = 0, to = 1;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Vec3& corner = solid.vertices()[sides[i].vertex];
    const Vec3& next = solid.vertices()[sides[i + 1 == sides.size() ? 0 : i + 1].vertex];
    const Vec3 outward = cross(next - corner, n);
    const double out = dot(outward, start - corner);
    const double rate = dot(outward, along);
    if (rate > 0) to = std::min(to, -out / rate);
    if (rate < 0) from = std::max(from, -out / rate);
    if (rate == 0 && out > 0) return false;
  }
  if (!(from < to)) return false;
  manifold.normal = -n;
  manifold.face_of_b = true;
  manifold.count = 0;
  const double r = capsule.radius();
  for (std::uint32_t end = 0; end < 2; ++end) {
    const bool whole = end == 0 ? from == 0 : to == 1;
    const Vec3 p = start + (end == 0 ? from : to) * along;
    const double separation = dot(p - solid.vertices()[sides[0].vertex], n) - r;
    if (!(separation <= margin)) continue;
    manifold.points[manifold.count++] = {p - (r + 0.5 * separation) * n, separation,
                                         (whole ? 1 : 3) + end};
  }
  return manifold.count > 0;
}

bool collide_round_solid(const CoreShape& round, const CoreShape& solid, double margin,
                         Manifold& manifold) {
  ORRERY_ASSERT(!solid.faces().empty());
  ORRERY_ASSERT(round.faces().empty());
  const Nearest nearest = nearest_points(round, solid);
  if (nearest.distance == 0) {
    collide_deep(round, solid, margin, manifold);
    return true;
  }
  if (!(nearest.distance <= round.radius() + margin)) return false;
  const Vec3& normal = nearest.normal;
  if (round.vertices().size() == 2) {
    const std::uint32_t face = face_along(solid, -normal);
    const double cosine = -dot(solid.normal(solid.faces()[face]), normal);
    if (cosine > kOnFaceCosine && capsule_on_face(round, solid, face, margin, manifold) &&
        matches_separation(manifold, nearest.distance - round.radius(), margin)) {
      return true;
    }
  }
  one_point(round, solid, normal, nearest.on_a, nearest.on_b, manifold);
  return true;
}

bool collide_solids(const CoreShape& a, const CoreShape& b, double margin, Manifold& manifold) {
  ORRERY_ASSERT(!a.faces().empty());
  ORRERY_ASSERT(!b.faces().empty());
  const FaceAxis face_a = best_face(a, b);
  if (!(face_a.separation <= margin)) return false;
  const FaceAxis face_b = best_face(b, a);
  if (!(face_b.separation <= margin)) return false;
  const EdgeAxis edges = best_edges(a, b);
  if (edges.separation > margin) return false;
  const double best = std::max({face_a.separation, face_b.separation, edges.separation});
  const auto by_face = [&](bool of_a) {
    manifold.face_of_b = !of_a;
    if (of_a) return face_contact(a, face_a.face, b, true, margin, manifold);
    const bool touch = face_contact(b, face_b.face, a, false, margin, manifold);
    manifold.normal = -manifold.normal;
    return touch;
  };
  const bool prefer_a = face_b.separation <= face_a.separation + kFaceShare * margin;
  if (by_face(prefer_a) && matches_separation(manifold, best, margin)) return true;
  if (edges.separation < best && by_face(!prefer_a) && matches_separation(manifold, best, margin)) {
    return true;
  }
  if (edges.separation < best - margin) return by_face(prefer_a) || by_face(!prefer_a);
  manifold.normal = edges.normal;
  manifold.face_of_b = false;
  manifold.count = 1;
  manifold.points[0] = edge_point(a, b, edges);
  return true;
}

bool collide_solid_plane(const CoreShape& solid, const PlacedPart& plane, double margin,
                         Manifold& manifold) {
  ORRERY_ASSERT(plane.part.kind == ShapeKind::plane);
  ORRERY_ASSERT(solid.radius() == 0);
  const Vec3& up = plane.axes.y;
  manifold.normal = -up;
  manifold.face_of_b = true;
  ManifoldPoint points[limits::kHullVerticesMax];
  std::size_t count = 0;
  for (const HullCorner& corner : solid.corners(solid.faces()[face_against(solid, up)])) {
    const Vec3& vertex = solid.vertices()[corner.vertex];
    const double separation = dot(vertex - plane.centre, up);
    if (!(separation <= margin)) continue;
    points[count++] = {vertex - (0.5 * separation) * up, separation, corner.vertex};
  }
  if (count == 0) return false;
  keep_four({points, count}, margin, manifold);
  return true;
}

}  // namespace orrery::physics
