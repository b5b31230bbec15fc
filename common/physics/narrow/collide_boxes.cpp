// Computes contacts of boxes with boxes (15 separating axes, clipped faces, crossing edges) and of
// boxes with planes.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/polyhedra.h"

namespace orrery::physics {
namespace {

// A face of B is preferred only if its separation exceeds that of the face of A by more than this
// fraction of the margin. Rounding thus does not change the choice from tick to tick.
constexpr double kFaceShare = 0.05;

// Edges count as parallel if the squared sine of their angle is below this: the direction of their
// cross product would be too sensitive to small rotations.
constexpr double kParallel = 2.5e-5;

constexpr int kNext[3] = {1, 2, 0};
constexpr int kLast[3] = {2, 0, 1};

constexpr double magnitude(double x) { return x < 0 ? -x : x; }

struct Box {
  Vec3 centre;
  Vec3 axes[3];
  double half[3];
  std::uint32_t owner;  // 0: A, 1: B

  Box(const PlacedPart& p, std::uint32_t side)
      : centre(p.centre),
        axes{p.axes.x, p.axes.y, p.axes.z},
        half{p.part.half_extents.x, p.part.half_extents.y, p.part.half_extents.z},
        owner(side) {}

  // Returns the number of one of the four edges along `axis`: the one on the positive side of the
  // box along kNext[axis] if `next_positive`, and along kLast[axis] if `last_positive`.
  std::uint32_t edge(int axis, bool next_positive, bool last_positive) const {
    return owner << 8 | static_cast<std::uint32_t>(4 * axis + 2 * next_positive + last_positive);
  }
};

// Returns the feature id of the point on two edges. The order of the edges has no effect.
std::uint32_t feature_of(std::uint32_t edge, std::uint32_t other) {
  return std::min(edge, other) << 16 | std::max(edge, other);
}

// Box B relative to box A, computed axis by axis and only as needed. Most near boxes do not touch,
// and one of the first axes separates them.
struct Relative {
  // Cosine of the angle between axis i of A and axis j of B.
  double cosine[3][3];
  double absolute[3][3];  // their magnitudes
  double in_a[3];         // vector from A to B, along the axes of A
  double in_b[3];         // vector from A to B, along the axes of B
  Vec3 offset;

  Relative(const Box& a, const Box& b) : offset(b.centre - a.centre) {}

  void look_along_a(const Box& a, const Box& b, int i) {
    for (int j = 0; j < 3; ++j) {
      cosine[i][j] = dot(a.axes[i], b.axes[j]);
      absolute[i][j] = magnitude(cosine[i][j]);
    }
    in_a[i] = dot(offset, a.axes[i]);
  }
  void look_along_b(const Box& b, int j) { in_b[j] = dot(offset, b.axes[j]); }
};

// The separating axis with the largest separation. A search ends early once a separation is above
// the margin.
struct Best {
  double separation;
  int i;  // axis of A
  int j;  // axis of B
};

Best best_face_of_a(const Box& a, const Box& b, double margin, Relative& r) {
  Best best{-1e300, 0, 0};
  for (int i = 0; i < 3 && best.separation <= margin; ++i) {
    r.look_along_a(a, b, i);
    const double* c = r.absolute[i];
    const double s = magnitude(r.in_a[i]) -
                     (a.half[i] + (b.half[0] * c[0] + b.half[1] * c[1] + b.half[2] * c[2]));
    if (s > best.separation) best = {s, i, 0};
  }
  return best;
}

Best best_face_of_b(const Box& a, const Box& b, double margin, Relative& r) {
  Best best{-1e300, 0, 0};
  for (int j = 0; j < 3 && best.separation <= margin; ++j) {
    r.look_along_b(b, j);
    const double extent =
        a.half[0] * r.absolute[0][j] + a.half[1] * r.absolute[1][j] + a.half[2] * r.absolute[2][j];
    const double s = magnitude(r.in_b[j]) - (b.half[j] + extent);
    if (s > best.separation) best = {s, 0, j};
  }
  return best;
}

// Searches the cross products of an axis of A and an axis of B as separating axes. Ignores
// separations up to `least`.
Best best_edges(const Box& a, const Box& b, const Relative& r, double margin, double least) {
  Best best{least, 0, 0};
  for (int i = 0; i < 3 && best.separation <= margin; ++i) {
    const int i1 = kNext[i], i2 = kLast[i];
    for (int j = 0; j < 3; ++j) {
      const int j1 = kNext[j], j2 = kLast[j];
      const double squared = 1 - r.cosine[i][j] * r.cosine[i][j];
      if (squared < kParallel) continue;
      const double distance =
          magnitude(r.in_a[i2] * r.cosine[i1][j] - r.in_a[i1] * r.cosine[i2][j]);
      const double extent_a = a.half[i1] * r.absolute[i2][j] + a.half[i2] * r.absolute[i1][j];
      const double extent_b = b.half[j1] * r.absolute[i][j2] + b.half[j2] * r.absolute[i][j1];
      const double overlap = distance - (extent_a + extent_b);
      // `overlap` still has to be divided by the sine, which only lowers a negative number.
      if (overlap < 0 && overlap <= best.separation) continue;
      const double s = overlap / square_root(squared);
      if (s > best.separation) best = {s, i, j};
    }
  }
  return best;
}

// A corner of the incident face in the axes of the reference face: u and v along that face, w above
// it. `edge` is the edge from this corner to the next one.
struct Corner {
  double u, v, w;
  std::uint32_t edge;
};

// A convex polygon. A clip adds at most one corner, unless rounding makes a very thin polygon
// slightly concave: then it adds at most half as many corners as there were.
inline constexpr int kCornersMax = 20;
struct Polygon {
  Corner corners[kCornersMax];
  int count = 0;
};

double along(const Corner& c, bool along_v) { return along_v ? c.v : c.u; }

Corner between(const Corner& p, const Corner& q, double t, std::uint32_t edge) {
  return {p.u + t * (q.u - p.u), p.v + t * (q.v - p.v), p.w + t * (q.w - p.w), edge};
}

// Clips a polygon to sign * (u or v) <= limit (Sutherland and Hodgman 1974). `edge` is the edge of
// the reference face on that side.
void clip(Polygon& polygon, bool along_v, double sign, double limit, std::uint32_t edge) {
  ORRERY_ASSERT(polygon.count <= 13);  // `kept` has room for 1.5 times as many
  Polygon kept;
  for (int i = 0; i < polygon.count; ++i) {
    const Corner& p = polygon.corners[i];
    const Corner& q = polygon.corners[i + 1 == polygon.count ? 0 : i + 1];
    const double p_out = sign * along(p, along_v) - limit;
    const double q_out = sign * along(q, along_v) - limit;
    if (p_out <= 0) kept.corners[kept.count++] = p;
    if ((p_out <= 0) == (q_out <= 0)) continue;
    // After the cut, a polygon that leaves the half space continues along the clipping side, and
    // one that enters continues along its own edge.
    const std::uint32_t onward = p_out <= 0 ? edge : p.edge;
    kept.corners[kept.count++] = between(p, q, p_out / (p_out - q_out), onward);
  }
  polygon = kept;
}

// A face of the reference box. Axis f is perpendicular to the face, u and v are the axes along it.
struct ReferenceFace {
  const Box& box;
  int f, u, v;
  bool positive;  // the face is on the positive side of axis f
  Vec3 normal;    // outward
};

// Returns the face of the other box most opposed to the reference face, in the axes of the
// reference face.
Polygon incident_face(const ReferenceFace& face, const Box& other) {
  const double against[3] = {dot(face.normal, other.axes[0]), dot(face.normal, other.axes[1]),
                             dot(face.normal, other.axes[2])};
  int k = 0;
  for (int i = 1; i < 3; ++i) k = magnitude(against[i]) > magnitude(against[k]) ? i : k;
  const int k1 = kNext[k], k2 = kLast[k];
  const bool positive = against[k] < 0;
  const Vec3 centre = (other.centre - face.box.centre) +
                      (positive ? other.half[k] : -other.half[k]) * other.axes[k];
  const Vec3 e1 = other.half[k1] * other.axes[k1];
  const Vec3 e2 = other.half[k2] * other.axes[k2];
  const Vec3 points[4] = {centre + e1 + e2, centre - e1 + e2, centre - e1 - e2, centre + e1 - e2};
  const std::uint32_t edges[4] = {other.edge(k1, true, positive), other.edge(k2, positive, false),
                                  other.edge(k1, false, positive), other.edge(k2, positive, true)};
  Polygon polygon;
  polygon.count = 4;
  for (int i = 0; i < 4; ++i) {
    const Vec3& p = points[i];
    polygon.corners[i] = {dot(p, face.box.axes[face.u]), dot(p, face.box.axes[face.v]),
                          dot(p, face.normal) - face.box.half[face.f], edges[i]};
  }
  return polygon;
}

// Fills in the points of a manifold. Returns false if no point is within the margin. REQUIRES:
// manifold.normal is set.
bool face_contact(const ReferenceFace& face, const Box& other, double margin, Manifold& manifold) {
  ORRERY_ASSERT(face.box.owner != other.owner);
  const Box& box = face.box;
  Polygon polygon = incident_face(face, other);
  const bool s = face.positive;
  clip(polygon, false, 1, box.half[face.u], box.edge(face.v, s, true));
  clip(polygon, false, -1, box.half[face.u], box.edge(face.v, s, false));
  clip(polygon, true, 1, box.half[face.v], box.edge(face.u, true, s));
  clip(polygon, true, -1, box.half[face.v], box.edge(face.u, false, s));
  ManifoldPoint points[kCornersMax];
  std::size_t count = 0;
  for (int i = 0; i < polygon.count; ++i) {
    const Corner& c = polygon.corners[i];
    if (c.w > margin) continue;
    const Corner& before = polygon.corners[i == 0 ? polygon.count - 1 : i - 1];
    const Vec3 at = box.centre + c.u * box.axes[face.u] + c.v * box.axes[face.v] +
                    (box.half[face.f] + 0.5 * c.w) * face.normal;
    points[count++] = {at, c.w, feature_of(before.edge, c.edge)};
  }
  if (count == 0) return false;
  keep_four({points, count}, margin, manifold);
  return true;
}

// Returns the middle of the edge along `axis` that is farthest along `direction`. Sets `name` to
// the number of the edge.
Vec3 farthest_edge(const Box& box, int axis, const Vec3& direction, std::uint32_t& name) {
  ORRERY_ASSERT(axis >= 0 && axis < 3);
  const int a1 = kNext[axis], a2 = kLast[axis];
  const bool p1 = dot(box.axes[a1], direction) > 0;
  const bool p2 = dot(box.axes[a2], direction) > 0;
  name = box.edge(axis, p1, p2);
  return box.centre + (p1 ? box.half[a1] : -box.half[a1]) * box.axes[a1] +
         (p2 ? box.half[a2] : -box.half[a2]) * box.axes[a2];
}

void edge_contact(const Box& a, const Box& b, const Relative& r, const Best& best,
                  Manifold& manifold) {
  const Vec3& u = a.axes[best.i];
  const Vec3& v = b.axes[best.j];
  const Vec3 across = cross(u, v);
  const double sign = dot(across, r.offset) < 0 ? -1 : 1;
  manifold.normal = (sign / length(across)) * across;
  manifold.face_of_b = false;
  ORRERY_ASSERT(dot(across, across) > 0);
  std::uint32_t name_a, name_b;
  const Vec3 p = farthest_edge(a, best.i, manifold.normal, name_a);
  const Vec3 q = farthest_edge(b, best.j, -manifold.normal, name_b);
  // Nearest points of the lines p + s u and q + t v.
  const double c = r.cosine[best.i][best.j];
  const double inverse = 1 / (1 - c * c);
  const double du = dot(q - p, u), dv = dot(q - p, v);
  const double s = std::clamp((du - c * dv) * inverse, -a.half[best.i], a.half[best.i]);
  const double t = std::clamp((c * du - dv) * inverse, -b.half[best.j], b.half[best.j]);
  manifold.count = 1;
  manifold.points[0] = {0.5 * ((p + s * u) + (q + t * v)), best.separation,
                        feature_of(name_a, name_b)};
}

ReferenceFace reference_face(const Box& box, int f, bool positive) {
  return {box, f, kNext[f], kLast[f], positive, positive ? box.axes[f] : -box.axes[f]};
}

}  // namespace

// Tries these contacts in order. The best axis is the one with the largest separation.
//
// 1. A face contact on the better face of A and B. It clips the most opposed face of the other box.
//    It counts only if it is about as deep as the overlap on the best axis (matches_separation()).
// 2. A face contact on the best face of the other box, with the same condition. It is left out if
//    the best axis belongs to two edges.
// 3. The contacts of 1 and 2 without the condition, if the best pair of edges is deeper than the
//    best axis by more than the margin. Then 4 is left out.
// 4. The contact at the crossing of the best pair of edges.
bool collide_boxes(const PlacedPart& part_a, const PlacedPart& part_b, double margin,
                   Manifold& manifold) {
  ORRERY_ASSERT(part_a.part.kind == ShapeKind::box && part_b.part.kind == ShapeKind::box);
  ORRERY_ASSERT(margin >= 0);
  const Box a(part_a, 0);
  const Box b(part_b, 1);
  Relative r(a, b);
  const Best face_a = best_face_of_a(a, b, margin, r);
  if (!(face_a.separation <= margin)) return false;
  const Best face_b = best_face_of_b(a, b, margin, r);
  if (!(face_b.separation <= margin)) return false;
  // Edges that are deeper than a face by more than the margin are never used, so their depth is not
  // needed. `least` must be clearly below faces - margin: if rounding or margin 0 prevents this,
  // all edges are searched.
  const double faces = std::max(face_a.separation, face_b.separation);
  const double least = faces - 2 * margin < faces - margin ? faces - 2 * margin : -1e300;
  const Best edges = best_edges(a, b, r, margin, least);
  if (edges.separation > margin) return false;

  const double best = std::max({face_a.separation, face_b.separation, edges.separation});
  const auto by_face = [&](bool of_a) {
    const ReferenceFace face = of_a ? reference_face(a, face_a.i, r.in_a[face_a.i] >= 0)
                                    : reference_face(b, face_b.j, r.in_b[face_b.j] < 0);
    manifold.normal = of_a ? face.normal : -face.normal;
    manifold.face_of_b = !of_a;
    return face_contact(face, of_a ? b : a, margin, manifold);
  };
  const bool prefer_a = face_b.separation <= face_a.separation + kFaceShare * margin;
  if (by_face(prefer_a) && matches_separation(manifold, best, margin)) return true;
  if (edges.separation < best && by_face(!prefer_a) && matches_separation(manifold, best, margin)) {
    return true;
  }
  if (edges.separation < best - margin) return by_face(prefer_a) || by_face(!prefer_a);
  edge_contact(a, b, r, edges, manifold);
  return true;
}

bool collide_box_plane(const PlacedPart& part_a, const PlacedPart& plane, double margin,
                       Manifold& manifold) {
  ORRERY_ASSERT(part_a.part.kind == ShapeKind::box);
  ORRERY_ASSERT(plane.part.kind == ShapeKind::plane);
  const Box box(part_a, 0);
  const Vec3& up = plane.axes.y;
  const double height = dot(box.centre - plane.centre, up);
  const double rise[3] = {dot(box.axes[0], up), dot(box.axes[1], up), dot(box.axes[2], up)};
  manifold.normal = -up;
  manifold.face_of_b = true;
  std::uint32_t flat = 0;  // the axis whose lower face is most opposed to the plane
  for (std::uint32_t axis = 1; axis < 3; ++axis) {
    if (rise[axis] * rise[axis] > rise[flat] * rise[flat]) flat = axis;
  }
  ManifoldPoint points[4];
  std::size_t count = 0;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    const bool of_upper_face = ((corner >> flat & 1) != 0) == (rise[flat] > 0);
    if (of_upper_face) continue;
    const double x = corner & 1 ? box.half[0] : -box.half[0];
    const double y = corner & 2 ? box.half[1] : -box.half[1];
    const double z = corner & 4 ? box.half[2] : -box.half[2];
    const double separation = height + (x * rise[0] + y * rise[1] + z * rise[2]);
    if (!(separation <= margin)) continue;
    const Vec3 at = box.centre + x * box.axes[0] + y * box.axes[1] + z * box.axes[2];
    points[count++] = {at - (0.5 * separation) * up, separation, corner};
  }
  if (count == 0) return false;
  keep_four({points, count}, margin, manifold);
  return true;
}

}  // namespace orrery::physics
