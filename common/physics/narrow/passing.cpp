// Finds a plane that keeps two parts apart while they pass each other.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/core_shape.h"

namespace orrery::physics {
namespace {

// Share of reach times the square of the turn by which rotation moves points at most off the
// straight line between the two ends of their motion. The exact share is 1/8 for small turns.
constexpr double kBulgeShare = 0.25;
// Squared chord between two orientations (of a turn by about 1 radian) from which on no plane is
// sought.
constexpr double kChordSquaredMax = 0.25;
// Most times at which a plane is sought.
constexpr int kPassingRounds = 12;

// Returns the squared distance between two orientations, of which the second is the nearer one of
// its two signs. About a quarter of the squared turn.
double chord_squared(const Quat& p, const Quat& q) {
  const double cosine = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  return std::max(0.0, 2 - 2 * (cosine < 0 ? -cosine : cosine));
}

bool has_faces(const Part& part) {
  ORRERY_ASSERT(part.kind <= ShapeKind::hull);
  return part.kind == ShapeKind::box || part.kind == ShapeKind::hull;
}

// The two parts at one time, and their points that are nearest along a direction from A to B.
struct Placed {
  CoreShape a, b;

  Placed(const ShapeSet& shapes, const Part& part_a, const Pose& pose_a, const Part& part_b,
         const Pose& pose_b, const Vec3& origin)
      : a(shapes, placed(part_a, pose_a, origin)), b(shapes, placed(part_b, pose_b, origin)) {}

  Vec3 on_a(const Vec3& normal) const {
    return a.vertices()[a.support(normal)] + a.radius() * normal;
  }
  Vec3 on_b(const Vec3& normal) const {
    return b.vertices()[b.support(-normal)] - b.radius() * normal;
  }
  double gap(const Vec3& normal) const { return dot(on_b(normal) - on_a(normal), normal); }
};

// Returns the contact with the plane of a normal in the middle of a gap at the start.
Manifold plane_between(const Placed& start, const Part& a, const Part& b, const Vec3& normal,
                       double gap) {
  ORRERY_ASSERT(gap > 0);
  // The point belongs to a round part, else to the smaller one; the plane to the other part.
  const bool round_a = !has_faces(a), round_b = !has_faces(b);
  const bool on_part_a = round_a == round_b ? a.reach < b.reach : round_a;
  Manifold manifold;
  manifold.normal = normal;
  manifold.face_of_b = on_part_a;
  manifold.count = 1;
  const Vec3 half = (0.5 * gap) * normal;
  manifold.points[0] = {on_part_a ? start.on_a(normal) + half : start.on_b(normal) - half, gap,
                        kPassingFeature};
  return manifold;
}

}  // namespace

std::optional<Manifold> passing_plane(const ShapeSet& shapes, const Part& a, const Motion& motion_a,
                                      const Part& b, const Motion& motion_b) {
  ORRERY_ASSERT(a.kind <= ShapeKind::hull && b.kind <= ShapeKind::hull);
  const double turn_a = chord_squared(motion_a.from.orientation, motion_a.to.orientation);
  const double turn_b = chord_squared(motion_b.from.orientation, motion_b.to.orientation);
  if (turn_a > kChordSquaredMax || turn_b > kChordSquaredMax) return std::nullopt;
  const double bulge =
      4 * kBulgeShare * (turn_a * (a.reach - a.radius) + turn_b * (b.reach - b.radius));
  const Vec3& origin = motion_a.from.position;
  const Placed start(shapes, a, motion_a.from, b, motion_b.from, origin);
  const Placed end(shapes, a, motion_a.to, b, motion_b.to, origin);
  // The gap along the normal of a time closes before the parts are nearest, and opens after it.
  // Regula falsi finds the time at which it does neither (Illinois method, Dowell and Jarratt
  // 1971).
  double early = 0, opens_early = 0, late = 1, opens_late = 0, fraction = 1;
  int side = 0;
  for (int i = 0; i < kPassingRounds; ++i) {
    const Placed then(shapes, a, pose_at(motion_a, fraction), b, pose_at(motion_b, fraction),
                      origin);
    const Nearest nearest = nearest_points(then.a, then.b);
    if (!(nearest.distance > a.radius + b.radius + bulge)) return std::nullopt;
    const double first = start.gap(nearest.normal), last = end.gap(nearest.normal);
    if (first > bulge && last > bulge) return plane_between(start, a, b, nearest.normal, first);
    // Normals of earlier times have a smaller gap at the end, and later ones at the start.
    if (first <= bulge && last <= bulge) return std::nullopt;
    const double opens = last - first;
    if (opens > 0) {
      late = fraction;
      opens_late = opens;
      if (side > 0) opens_early *= 0.5;
      side = 1;
    } else {
      early = fraction;
      opens_early = opens;
      if (side < 0) opens_late *= 0.5;
      side = -1;
    }
    fraction = i == 0             ? 0.5
               : opens_early == 0 ? 0
                                  : late - (late - early) * opens_late / (opens_late - opens_early);
  }
  return std::nullopt;
}

}  // namespace orrery::physics
