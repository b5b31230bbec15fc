// Computes contacts of convex parts with surfaces, triangle by triangle, without catching on inner
// edges.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/polyhedra.h"
#include "common/physics/narrow/surface.h"

namespace orrery::physics {
namespace {

// A direction leans over a side of a triangle if it points outward across that side, and the sine
// of its angle to the plane through that side and the triangle's normal is above this.
constexpr double kLean = 1e-3;
// The edge between two triangles is convex if the neighbour bends away to the back, and the sine of
// the angle between the triangles is above this.
constexpr double kSharp = 0.01;
// A face of the body is the reference face only if its separation exceeds that of the triangle by
// more than this fraction of the contact margin.
constexpr double kBodyFaceShare = 0.05;
// Triangles with normals within about 11 degrees of each other share a manifold.
constexpr double kTogetherCosine = 0.98;
// Triangles within 0.06 degrees of each other are one plane.
constexpr double kFlatCosine = 1 - 5e-7;
// The manifold number of a triangle without a manifold.
constexpr std::uint32_t kNone = ~0u;
// Maximum number of triangles that a call of collide_surface() merges into manifolds. If more
// touch, the deepest are kept. For this choice, a triangle counts as deeper by one contact margin
// if one of its contact points is a feature of the body alone (see kOfTriangle), for example a
// corner of the body.
constexpr std::size_t kTrianglesMax = 32;

// A triangle as a core, with its neighbours in the surface.
class Piece {
 public:
  Piece(const PlacedSurface& surface, std::uint32_t triangle, const std::array<Vec3, 3>& corners)
      : core(corners),
        normal(core.normal(core.faces()[0])),
        surface_(surface),
        neighbours_(surface.mesh.neighbours[triangle]) {}

  // Returns true if a contact may push the body along a direction. The direction must not point to
  // the back. It may lean over a side without a neighbour. It may lean over a convex edge, but not
  // so far that the neighbouring triangle is nearer.
  bool allows(const Vec3& direction) const {
    if (dot(direction, normal) < -kLean) return false;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Vec3& from = core.vertices()[i];
      const Vec3 side = core.vertices()[(i + 1) % 3] - from;
      const double lean = dot(direction, cross(side, normal));
      if (lean <= 0 || lean * lean <= kLean * kLean * dot(side, side)) continue;
      if (neighbours_[i] != kNoTriangle && !is_convex_edge(i, from, side, direction)) return false;
    }
    return true;
  }

  CoreShape core;
  Vec3 normal;

 private:
  bool is_convex_edge(std::uint32_t i, const Vec3& from, const Vec3& side,
                      const Vec3& direction) const {
    // A vector perpendicular to the side, in the plane of the neighbouring triangle and pointing
    // out of it. The neighbour's corner that is farthest from the side gives this vector: the
    // other two corners of the neighbour are on the side.
    Vec3 back;
    for (const Vec3& corner : surface_.corners(neighbours_[i])) {
      const Vec3 to = from - corner;
      const Vec3 square = to - (dot(to, side) / dot(side, side)) * side;
      if (dot(square, square) > dot(back, back)) back = square;
    }
    const double size = length(back);
    return dot(back, normal) > kSharp * size && dot(direction, back) >= -kLean * size;
  }

  const PlacedSurface& surface_;
  const std::array<std::uint32_t, 3>& neighbours_;
};

// The manifold of one triangle. Its normal points from the triangle to the body.
struct Touch {
  Manifold manifold;
  Vec3 face;  // normal of the triangle
  std::uint32_t triangle;
  double separation;  // smallest of its points
  double rank;        // order of importance, lower first
};

bool touch_round(const CoreShape& body, const Piece& piece, double margin, Manifold& manifold) {
  ORRERY_ASSERT(body.faces().empty());
  if (!collide_round_solid(body, piece.core, margin, manifold)) return false;
  manifold.normal = -manifold.normal;
  if (piece.allows(manifold.normal)) return true;
  // If the segment of a capsule pierces the triangle, the contact gets the normal of the triangle,
  // which pushes the capsule out at the front.
  if (body.vertices().size() != 2 || nearest_points(body, piece.core).distance > 0) return false;
  const bool touch = capsule_on_face(body, piece.core, 0, margin, manifold);
  manifold.normal = piece.normal;
  return touch;
}

bool touch_solid(const CoreShape& body, const Piece& piece, double margin, Manifold& manifold) {
  ORRERY_ASSERT(!body.faces().empty());
  const CoreShape& triangle = piece.core;
  const Vec3& n = piece.normal;
  const double own = dot(n, body.vertices()[body.support(-n)] - triangle.vertices()[0]);
  if (!(own <= margin)) return false;
  const FaceAxis face = best_face(body, triangle);
  if (!(face.separation <= margin)) return false;
  const EdgeAxis edges = best_edges(triangle, body);
  if (edges.separation > margin) return false;

  const bool face_counts = piece.allows(-body.normal(body.faces()[face.face]));
  const bool edges_count = edges.separation > -1e299 && piece.allows(edges.normal);
  double best = own;
  if (face_counts) best = std::max(best, face.separation);
  if (edges_count) best = std::max(best, edges.separation);
  bool touch = false;
  if (face_counts && face.separation > own + kBodyFaceShare * margin) {
    touch = face_contact(body, face.face, triangle, false, margin, manifold);
    manifold.normal = -manifold.normal;
  } else {
    touch = face_contact(triangle, 0, body, true, margin, manifold);
  }
  const bool by_edges = edges_count && edges.separation >= best;
  if (!by_edges || (touch && matches_separation(manifold, best, margin))) return touch;
  manifold.normal = edges.normal;
  manifold.count = 1;
  manifold.points[0] = edge_point(triangle, body, edges);
  return true;
}

// The bit that marks a feature id made with the number of the triangle. A feature of the body alone
// has no such number, so it keeps its id while the body slides from triangle to triangle.
constexpr std::uint32_t kOfTriangle = 1u << 31;

std::uint32_t name_on(std::uint32_t feature, std::uint32_t triangle, bool round) {
  constexpr std::uint32_t kBodyEdges = 256u << 16 | 256u;
  const bool of_body = round ? feature < 3 : (feature & kBodyEdges) == kBodyEdges;
  return of_body ? feature : (feature ^ (triangle + 1) * 2654435761u) | kOfTriangle;
}

// The most important touching triangles, up to kTrianglesMax.
class Touches {
 public:
  void add(const Touch& touch) {
    if (count_ < kTrianglesMax) {
      touches_[count_++] = touch;
      return;
    }
    auto* least = std::max_element(touches_, touches_ + count_,
                                   [](const Touch& a, const Touch& b) { return a.rank < b.rank; });
    if (touch.rank < least->rank) *least = touch;
  }
  std::span<Touch> all() { return {touches_, count_}; }

 private:
  Touch touches_[kTrianglesMax];
  std::size_t count_ = 0;
};

// Adds points of one triangle's manifold to the points of others, which have another normal. If two
// points have equal feature ids, the deeper one stays. If `own` is true, adds only points without
// kOfTriangle, otherwise only points with it. On one plane, the points of a round body stay below
// its core, at the distance `radius`. Elsewhere they would resist rolling.
void add_points(const Manifold& from, const Vec3& normal, double radius, bool own,
                std::span<ManifoldPoint> points, std::size_t& count) {
  ORRERY_ASSERT(count + from.count <= points.size());
  for (std::uint32_t i = 0; i < from.count; ++i) {
    ManifoldPoint p = from.points[i];
    if (radius > 0) p.at += (radius + 0.5 * p.separation) * (from.normal - normal);
    if (own != ((p.feature & kOfTriangle) == 0)) continue;
    ManifoldPoint* end = points.data() + count;
    ManifoldPoint* same = std::find_if(points.data(), end, [&p](const ManifoldPoint& other) {
      return other.feature == p.feature;
    });
    if (same == end) {
      points[count++] = p;
    } else if (p.separation < same->separation) {
      *same = p;
    }
  }
}

// Merges triangles with similar normals into at most kSurfaceManifoldsMax manifolds, the deepest
// ones. The body has this radius.
std::uint32_t join(std::span<Touch> touches, double radius, double margin,
                   std::span<Manifold, kSurfaceManifoldsMax> manifolds) {
  ORRERY_ASSERT(touches.size() <= kTrianglesMax);
  // Sorts by depth, then by triangle number, so that the order in which the tree finds triangles
  // has no effect.
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return a.separation < b.separation || (a.separation == b.separation && a.triangle < b.triangle);
  });
  std::array<std::uint32_t, kSurfaceManifoldsMax> first{};  // lowest triangle of each manifold
  std::array<std::uint32_t, kTrianglesMax> manifold_of;
  manifold_of.fill(kNone);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < touches.size() && count < kSurfaceManifoldsMax; ++i) {
    if (manifold_of[i] != kNone) continue;
    const Vec3& normal = touches[i].manifold.normal;
    const Vec3& face = touches[i].face;
    first[count] = touches[i].triangle;
    std::array<ManifoldPoint, 4 * kTrianglesMax> points;
    std::size_t point_count = 0;
    // The body's own points come first: keep_four() prefers earlier points among equals.
    for (const bool own : {true, false}) {
      for (std::size_t j = i; j < touches.size(); ++j) {
        if (manifold_of[j] != (own ? kNone : count)) continue;
        if (dot(normal, touches[j].manifold.normal) < kTogetherCosine) continue;
        first[count] = std::min(first[count], touches[j].triangle);
        manifold_of[j] = count;
        const bool flat = dot(face, touches[j].face) > kFlatCosine;
        add_points(touches[j].manifold, normal, flat ? radius : 0, own, points, point_count);
      }
    }
    manifolds[count].normal = normal;
    manifolds[count].face_of_b = false;
    manifolds[count].on_face = dot(normal, face) > kFlatCosine;
    keep_four({points.data(), point_count}, margin, manifolds[count++]);
  }
  // An insertion sort by the lowest triangle number.
  for (std::uint32_t i = 1; i < count; ++i) {
    for (std::uint32_t j = i; j > 0 && first[j] < first[j - 1]; --j) {
      std::swap(first[j], first[j - 1]);
      std::swap(manifolds[j], manifolds[j - 1]);
    }
  }
  return count;
}

// Collides a body with a surface. The normals of the manifolds point from the surface to the body.
std::uint32_t collide_body(const CoreShape& body, const PlacedSurface& surface, double margin,
                           std::span<Manifold, kSurfaceManifoldsMax> manifolds) {
  const bool round = body.faces().empty();
  Touches touches;
  visit_triangles(surface, enlarged(box_in(surface, body), margin), [&](std::uint32_t t) {
    const std::array<Vec3, 3> corners = surface.corners(t);
    const Vec3 across = cross(corners[1] - corners[0], corners[2] - corners[0]);
    // Surfaces are one-sided: a triangle does not push a body whose centre is on its back side.
    if (dot(across, body.centre() - corners[0]) < 0) return;
    const double lowest = dot(across, body.vertices()[body.support(-across)] - corners[0]);
    if (lowest > (body.radius() + margin) * length(across)) return;
    const Piece piece(surface, t, corners);
    Touch touch;
    const bool touching = round ? touch_round(body, piece, margin, touch.manifold)
                                : touch_solid(body, piece, margin, touch.manifold);
    if (!touching) return;
    touch.triangle = t;
    touch.face = piece.normal;
    touch.separation = touch.rank = min_separation(touch.manifold);
    for (std::uint32_t i = 0; i < touch.manifold.count; ++i) {
      ManifoldPoint& point = touch.manifold.points[i];
      point.feature = name_on(point.feature, t, round);
      if ((point.feature & kOfTriangle) == 0) touch.rank = touch.separation - margin;
    }
    touches.add(touch);
  });
  return join(touches.all(), body.radius(), margin, manifolds);
}

}  // namespace

std::uint32_t collide_surface(const ShapeSet& shapes, const Part& a, const Pose& pose_a,
                              const Part& b, const Pose& pose_b, double margin,
                              std::span<Manifold, kSurfaceManifoldsMax> manifolds) {
  ORRERY_ASSERT(is_surface(a.kind) != is_surface(b.kind));
  ORRERY_ASSERT(margin >= 0);
  const PlacedPart placed_a = placed(a, pose_a, pose_a.position);
  const PlacedPart placed_b = placed(b, pose_b, pose_a.position);
  // Planes and surfaces belong to fixed bodies, so a plane and a surface need no contact.
  if (a.kind == ShapeKind::plane || b.kind == ShapeKind::plane) return 0;
  if (is_surface(a.kind)) {
    return collide_body({shapes, placed_b}, {shapes, placed_a}, margin, manifolds);
  }
  const std::uint32_t count =
      collide_body({shapes, placed_a}, {shapes, placed_b}, margin, manifolds);
  for (std::uint32_t i = 0; i < count; ++i) {
    manifolds[i].normal = -manifolds[i].normal;
    manifolds[i].face_of_b = true;
  }
  return count;
}

}  // namespace orrery::physics
