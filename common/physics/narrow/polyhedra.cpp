// Finds separating axes of polyhedra and clips faces.
#include "common/physics/narrow/polyhedra.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::physics {
namespace {

// Edges count as parallel if the squared sine of their angle is below this: the direction of their
// cross product would be too sensitive to small rotations.
constexpr double kParallel = 2.5e-5;

// Largest difference that matches_separation() accepts, as a fraction of the contact margin.
constexpr double kDepthShare = 0.25;

// A polyhedron has less than twice as many faces as vertices (Euler's formula).
constexpr std::size_t kFacesMax = 2 * limits::kHullVerticesMax;

static_assert(kFacesMax <= 256);  // HullEdge names faces by a byte

// A face has fewer corners than a hull has vertices, and each side that clips it adds at most one.
constexpr std::size_t kCornersMax = 2 * limits::kHullVerticesMax;

// A corner of a polygon. `edge` is the edge from this corner to the next one.
struct Corner {
  Vec3 at;
  std::uint32_t edge;
};

struct Polygon {
  Corner corners[kCornersMax];
  std::size_t count = 0;

  // Ignores corners beyond the capacity, which only rounding can produce.
  void add(const Corner& corner) {
    if (count < kCornersMax) corners[count++] = corner;
  }
};

// Returns a number that names an edge of either body. `first` is true for body A.
constexpr std::uint32_t edge_name(bool first, std::uint32_t edge) {
  return (first ? 0 : 256) | edge;
}

static_assert(3 * limits::kHullVerticesMax - 6 < 256);  // edges of a hull, at most

// Returns true if an edge belongs to body A.
constexpr bool is_of_a(std::uint32_t name) { return name < 256; }
static_assert(is_of_a(edge_name(true, 255)) && !is_of_a(edge_name(false, 0)));

// Returns the feature id of the point on two edges. The order of the edges has no effect.
constexpr std::uint32_t feature_of(std::uint32_t edge, std::uint32_t other) {
  return std::min(edge, other) << 16 | std::max(edge, other);
}
static_assert(feature_of(3, 256) == feature_of(256, 3) && feature_of(3, 4) != feature_of(3, 5));

// Clips a polygon to dot(normal, x) <= offset (Sutherland and Hodgman 1974). `edge` names the
// clipping side.
void clip(const Polygon& polygon, const Vec3& normal, double offset, std::uint32_t edge,
          Polygon& kept) {
  kept.count = 0;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Corner& p = polygon.corners[i];
    const Corner& q = polygon.corners[i + 1 == polygon.count ? 0 : i + 1];
    const double p_out = dot(normal, p.at) - offset;
    const double q_out = dot(normal, q.at) - offset;
    if (p_out <= 0) kept.add(p);
    if ((p_out <= 0) == (q_out <= 0)) continue;
    // This corner begins the next edge of the cut polygon. Where the polygon leaves the half space,
    // that edge is on the clipping side. Where the polygon enters it again, that edge is the rest
    // of `p.edge`.
    kept.add({p.at + (p_out / (p_out - q_out)) * (q.at - p.at), p_out <= 0 ? edge : p.edge});
  }
}

}  // namespace

std::uint32_t face_against(const CoreShape& core, const Vec3& normal) {
  ORRERY_ASSERT(!core.faces().empty());
  const std::uint32_t deepest = core.support(-normal);
  std::uint32_t best = 0;
  double least = 2;
  for (std::uint32_t f = 0; f < core.faces().size(); ++f) {
    const double cosine = dot(core.normal(core.faces()[f]), normal);
    if (cosine >= least) continue;
    const auto corners = core.corners(core.faces()[f]);
    const bool there = std::any_of(corners.begin(), corners.end(), [&](const HullCorner& corner) {
      return corner.vertex == deepest;
    });
    if (!there) continue;
    least = cosine;
    best = f;
  }
  return best;
}

FaceAxis best_face(const CoreShape& a, const CoreShape& b) {
  FaceAxis best;
  for (std::uint32_t f = 0; f < a.faces().size(); ++f) {
    const HullFace& face = a.faces()[f];
    const Vec3 n = a.normal(face);
    const Vec3& on_face = a.vertices()[a.corners(face)[0].vertex];
    const double separation = dot(n, b.vertices()[b.support(-n)] - on_face);
    if (separation > best.separation) best = {separation, f};
  }
  return best;
}

EdgeAxis best_edges(const CoreShape& a, const CoreShape& b) {
  ORRERY_ASSERT(!a.faces().empty());
  ORRERY_ASSERT(b.faces().size() <= kFacesMax);
  const bool segment = b.faces().empty();
  std::array<Vec3, kFacesMax> normals_b;
  std::array<double, kFacesMax> along;  // dot products of normals_b with the edge of a
  for (std::size_t f = 0; f < b.faces().size(); ++f) normals_b[f] = b.normal(b.faces()[f]);
  EdgeAxis best;
  for (std::uint32_t i = 0; i < a.edges().size(); ++i) {
    const HullEdge& edge = a.edges()[i];
    const Vec3 left = a.normal(a.faces()[edge.left]);
    const Vec3 right = a.normal(a.faces()[edge.right]);
    const Vec3 u = a.edge_vector(edge);
    for (std::size_t f = 0; f < b.faces().size(); ++f) along[f] = dot(normals_b[f], u);
    for (std::uint32_t j = 0; j < b.edges().size(); ++j) {
      const HullEdge& other = b.edges()[j];
      // Do the arc of a's edge and the mirrored arc of b's edge cross on the Gauss map? Condition 1
      // of 3: b's arc must cross the great circle of a's arc.
      if (!segment && !(along[other.left] * along[other.right] < 0)) continue;
      const Vec3 v = b.edge_vector(other);
      // Condition 2 of 3: a's arc must cross the great circle of b's arc.
      const double left_along = dot(left, v), right_along = dot(right, v);
      if (!(left_along * right_along < 0)) continue;
      // Condition 3 of 3: both arcs must be in the same half of the sphere.
      if (!segment && !(along[other.left] * right_along < 0)) continue;
      const Vec3 across = cross(u, v);
      const double squared = dot(across, across);
      if (squared < kParallel * dot(u, u) * dot(v, v)) continue;
      const Vec3& on_a = a.vertices()[edge.from];
      const double sign = dot(across, on_a - a.centre()) < 0 ? -1 : 1;
      const Vec3 normal = (sign / square_root(squared)) * across;
      const double separation = dot(normal, b.vertices()[other.from] - on_a);
      if (separation > best.separation) best = {separation, normal, i, j};
    }
  }
  return best;
}

ManifoldPoint edge_point(const CoreShape& a, const CoreShape& b, const EdgeAxis& axis) {
  ORRERY_ASSERT(axis.a < a.edges().size() && axis.b < b.edges().size());
  const Vec3& p = a.vertices()[a.edges()[axis.a].from];
  const Vec3& q = b.vertices()[b.edges()[axis.b].from];
  const Vec3 u = a.edge_vector(a.edges()[axis.a]);
  const Vec3 v = b.edge_vector(b.edges()[axis.b]);
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v);
  const double du = dot(q - p, u), dv = dot(q - p, v);
  const double inverse = 1 / (uu * vv - uv * uv);
  const double s = std::clamp((du * vv - dv * uv) * inverse, 0.0, 1.0);
  const double t = std::clamp((du * uv - dv * uu) * inverse, 0.0, 1.0);
  return {0.5 * ((p + s * u) + (q + t * v)), axis.separation,
          feature_of(edge_name(true, axis.a), edge_name(false, axis.b))};
}

bool face_contact(const CoreShape& reference, std::uint32_t face_index, const CoreShape& incident,
                  bool first, double margin, Manifold& manifold) {
  ORRERY_ASSERT(face_index < reference.faces().size());
  const HullFace& face = reference.faces()[face_index];
  const Vec3 n = reference.normal(face);
  manifold.normal = n;
  Polygon buffers[2];
  for (const HullCorner& c : incident.corners(incident.faces()[face_against(incident, n)])) {
    buffers[0].add({incident.vertices()[c.vertex], edge_name(!first, c.edge)});
  }
  int current = 0;
  const auto sides = reference.corners(face);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Vec3& from = reference.vertices()[sides[i].vertex];
    const Vec3& to = reference.vertices()[sides[i + 1 == sides.size() ? 0 : i + 1].vertex];
    const Vec3 outward = cross(to - from, n);
    clip(buffers[current], outward, dot(outward, from), edge_name(first, sides[i].edge),
         buffers[1 - current]);
    current = 1 - current;
  }
  const Polygon& polygon = buffers[current];
  const double height = dot(n, reference.vertices()[sides[0].vertex]);
  ManifoldPoint points[kCornersMax];
  std::size_t count = 0;
  // Corners of the incident face come first, because keep_four() prefers the earlier of equally
  // good points.
  for (const bool own : {true, false}) {
    for (std::size_t i = 0; i < polygon.count; ++i) {
      const Corner& c = polygon.corners[i];
      const Corner& before = polygon.corners[i == 0 ? polygon.count - 1 : i - 1];
      if (own != (is_of_a(c.edge) != first && is_of_a(before.edge) != first)) continue;
      const double separation = dot(n, c.at) - height;
      if (!(separation <= margin)) continue;
      const std::uint32_t feature = feature_of(before.edge, c.edge);
      points[count++] = {c.at - (0.5 * separation) * n, separation, feature};
    }
  }
  if (count == 0) return false;
  keep_four({points, count}, margin, manifold);
  return true;
}

bool matches_separation(const Manifold& manifold, double separation, double margin) {
  ORRERY_ASSERT(margin >= 0);
  const double error = min_separation(manifold) - separation;
  return error <= kDepthShare * margin && error >= -kDepthShare * margin;
}

double min_separation(const Manifold& manifold) {
  ORRERY_ASSERT(manifold.count >= 1 && manifold.count <= 4);
  double least = manifold.points[0].separation;
  for (std::uint32_t i = 1; i < manifold.count; ++i) {
    least = std::min(least, manifold.points[i].separation);
  }
  return least;
}

}  // namespace orrery::physics
