// Computes the time of impact of two moving parts by conservative advancement.
#include <algorithm>
#include <array>

#include "common/core/assert.h"
#include "common/physics/narrow/surface.h"

namespace orrery::physics {
namespace {

// Maximum number of steps of conservative advancement. A motion that needs more steps grazes the
// other part and counts as an impact.
constexpr int kStepsMax = 100;
// Largest accepted error of the distance at an impact, as a fraction of the target distance.
constexpr double kTolerance = 0.25;

constexpr bool stands_still(ShapeKind kind) { return kind == ShapeKind::plane || is_surface(kind); }

// Kinds after `hull` in ShapeKind belong to fixed bodies only.
static_assert(stands_still(ShapeKind::plane) && stands_still(ShapeKind::mesh));
static_assert(!stands_still(ShapeKind::hull) && ShapeKind::hull < ShapeKind::plane);
static_assert(ShapeKind::plane < ShapeKind::height_field && ShapeKind::box < ShapeKind::hull);

// A part and its motion, relative to the position of body A at the start.
struct MovingPart {
  const Part& part;
  Motion motion;
  Vec3 velocity;  // displacement of the body over the whole motion
  // Upper bound on the speed at which rotation moves points of the core: length over the whole
  // motion, as `velocity`.
  double swing = 0;

  MovingPart(const Part& p, const Motion& m, const Vec3& origin) : part(p), motion(m) {
    velocity = m.to.position - m.from.position;
    motion.from.position = m.from.position - origin;
    motion.to.position = motion.from.position + velocity;
    if (part.kind > ShapeKind::hull) return;  // never moves
    // pose_at() moves the quaternion along the chord between the two orientations. With c the
    // length of this chord, the body never rotates faster than 2 c / sqrt(1 - c^2 / 4) (radians
    // over the whole motion).
    const Quat& p0 = m.from.orientation;
    const Quat& p1 = m.to.orientation;
    const double cosine = p0.x * p1.x + p0.y * p1.y + p0.z * p1.z + p0.w * p1.w;
    const double squared = std::max(0.0, 2 - 2 * (cosine < 0 ? -cosine : cosine));
    const double turn = 2 * square_root(squared / (1 - squared / 4));
    swing = turn * (part.reach - part.radius);
  }

  PlacedPart at(double fraction) const { return placed(part, pose_at(motion, fraction), {}); }
};

struct Gap {
  double distance = 0;  // 0 or less: overlap
  Vec3 normal;          // from a to b; zero if the cores overlap
};

Gap gap_between(const CoreShape& a, const CoreShape& b) {
  const Nearest nearest = nearest_points(a, b);
  return {nearest.distance - a.radius() - b.radius(), nearest.normal};
}

Gap gap_to_plane(const CoreShape& core, const PlacedPart& plane) {
  ORRERY_ASSERT(plane.part.kind == ShapeKind::plane);
  const Vec3& up = plane.axes.y;
  const double height = dot(core.vertices()[core.support(-up)] - plane.centre, up);
  return {height - core.radius(), -up};
}

// Fraction of a motion after which a gap shows whether rotation opens it.
constexpr double kSoon = 1.0 / 64;

// Returns the first fraction of the motion at which gap_at(fraction) is at most 1 + kTolerance
// times the target, or the fraction that kStepsMax steps reach. Returns nothing if there is no
// impact. REQUIRES: a moves relative to b by `velocity`, and rotation moves their points towards
// each other by at most `swing` (both over the whole motion).
template <class GapAt>
std::optional<Impact> advance(const GapAt& gap_at, const Vec3& velocity, double swing,
                              double target, AtStart at_start) {
  ORRERY_ASSERT(swing >= 0);
  ORRERY_ASSERT(target > 0);
  double fraction = 0;
  for (int step = 0; step < kStepsMax; ++step) {
    const Gap gap = gap_at(fraction);
    const bool meets = gap.distance <= (1 + kTolerance) * target;
    const Vec3 normal = gap.distance <= 0 && fraction == 0 ? Vec3{} : gap.normal;
    const auto closes = [&] {
      return dot(velocity, normal) > 0 && (swing == 0 || gap_at(kSoon).distance < gap.distance);
    };
    if (meets && (fraction > 0 || at_start == AtStart::any || closes())) {
      return Impact{fraction, normal};
    }
    if (meets) return std::nullopt;
    // The largest rate at which the gap along the present normal can close until the end of the
    // motion.
    const double closing = dot(velocity, gap.normal) + swing;
    if (!(closing * (1 - fraction) > gap.distance - target)) return std::nullopt;
    fraction = std::min(1.0, fraction + (gap.distance - target) / closing);
    if (step == kStepsMax - 1) return Impact{fraction, gap.normal};
  }
  return std::nullopt;
}

// Sets the normal of an impact at the start to that of the triangle with the outward normal `face`,
// of any length. Returns false if the motion does not lead into the triangle. The direction to the
// nearest point does not tell: next to an inner edge of a flat surface it slopes.
bool leads_into(const Vec3& face, const Vec3& velocity, Impact& impact) {
  ORRERY_ASSERT(impact.fraction == 0);
  const double size = length(face);
  if (size == 0) return false;
  impact.normal = (-1 / size) * face;
  return dot(velocity, impact.normal) > 0;
}

// Finds the first impact of part a with a triangle of the surface b. The surface does not move.
// With AtStart::closing, a triangle does not count if the centre of `a` starts on its inner side.
// It makes no contact then.
std::optional<Impact> meet_surface(const ShapeSet& shapes, const MovingPart& a, const MovingPart& b,
                                   double target, SweepBudget* budget, AtStart at_start) {
  ORRERY_ASSERT(a.part.kind <= ShapeKind::hull);
  const PlacedSurface surface(shapes, b.at(0));
  const Vec3 from = surface.local(a.motion.from.position);
  const Vec3 along = surface.local(a.motion.to.position) - from;
  const Vec3 start = a.at(0).centre;
  std::optional<Impact> first;
  const auto accept = [&](const Aabb& box) {
    if (budget && !budget->look()) return false;
    return meets(enlarged(box, a.part.reach + 2 * target), from, along,
                 first ? first->fraction : 1);
  };
  walk(surface.mesh.tree, accept, [&](std::uint32_t triangle) {
    if (budget && !budget->cast()) return;
    const std::array<Vec3, 3> corners = surface.corners(triangle);
    const Vec3 face = cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (at_start == AtStart::closing && dot(face, start - corners[0]) < 0) return;
    const CoreShape piece(corners);
    const auto gap_at = [&](double f) { return gap_between({shapes, a.at(f)}, piece); };
    std::optional<Impact> impact = advance(gap_at, a.velocity, a.swing, target, at_start);
    if (impact && impact->fraction == 0 && at_start == AtStart::closing &&
        !leads_into(face, a.velocity, *impact)) {
      return;
    }
    if (impact && (!first || impact->fraction < first->fraction)) first = impact;
  });
  return first;
}

// Finds the impact of `a`, a part with a core, and `b`: a part with a core, a plane or a surface.
// Planes and surfaces do not move.
std::optional<Impact> meet(const ShapeSet& shapes, const MovingPart& a, const MovingPart& b,
                           double target, SweepBudget* budget, AtStart at_start) {
  ORRERY_ASSERT(target > 0);
  ORRERY_ASSERT(!stands_still(a.part.kind));
  if (is_surface(b.part.kind)) return meet_surface(shapes, a, b, target, budget, at_start);
  if (budget && !budget->cast()) return std::nullopt;
  const auto gap_at = [&](double f) {
    const CoreShape core(shapes, a.at(f));
    return b.part.kind == ShapeKind::plane ? gap_to_plane(core, b.at(f))
                                           : gap_between(core, {shapes, b.at(f)});
  };
  return advance(gap_at, a.velocity - b.velocity, a.swing + b.swing, target, at_start);
}

}  // namespace

Pose pose_at(const Motion& motion, double fraction) {
  ORRERY_ASSERT(fraction >= 0 && fraction <= 1);
  const auto& [from, p] = motion.from;
  const auto& [to, q] = motion.to;
  // q and -q are the same rotation: uses the one that is nearer to p.
  const double sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -1 : 1;
  const double f = sign * fraction, g = 1 - fraction;
  const Quat turned{g * p.x + f * q.x, g * p.y + f * q.y, g * p.z + f * q.z, g * p.w + f * q.w};
  return {from + fraction * (to - from), normalized(turned)};
}

Motion way_of(const Motion& body, const Vec3& at) {
  return {{transform(body.from, at), {}}, {transform(body.to, at), {}}};
}

Aabb around(const Motion& way, double margin) {
  ORRERY_ASSERT(margin >= 0);
  const auto& [from, to] = way;
  return enlarged({lesser(from.position, to.position), greater(from.position, to.position)},
                  margin);
}

// Between the ends, the path of a rotating point leaves its chord by at most 1 - cos(half the turn)
// of its distance from the axis. The rotation is not uniform, so it can be ahead of the linear
// motion or behind it. The result therefore covers each displacement together with each rotation.
Aabb swept_bounds(const ShapeSet& shapes, const Part& part, const Motion& motion) {
  const auto& [from, p] = motion.from;
  const auto& [to, q] = motion.to;
  Aabb box = bounds(shapes, part, {{}, p});
  if (p != q) {
    const double cosine = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    const double bulge = std::max(0.0, 1 - (cosine < 0 ? -cosine : cosine));
    box = enlarged(united(box, bounds(shapes, part, {{}, q})), bulge * part.reach);
  }
  return {box.lower + lesser(from, to), box.upper + greater(from, to)};
}

Aabb swept_bounds(const ShapeSet& shapes, std::span<const Part> parts, const Motion& motion) {
  ORRERY_ASSERT(!parts.empty());
  Aabb box = swept_bounds(shapes, parts[0], motion);
  for (const Part& part : parts.subspan(1)) {
    box = united(box, swept_bounds(shapes, part, motion));
  }
  return box;
}

double points_way(double reach, const Motion& motion) {
  ORRERY_ASSERT(reach >= 0);
  const Quat turn = conjugate(motion.from.orientation) * motion.to.orientation;
  const double angle = 4 * length(Vec3{turn.x, turn.y, turn.z});  // at least the angle
  return length(motion.to.position - motion.from.position) + angle * reach;
}

std::optional<Impact> time_of_impact(const ShapeSet& shapes, const Part& a, const Motion& motion_a,
                                     const Part& b, const Motion& motion_b, double target,
                                     SweepBudget* budget, AtStart at_start) {
  ORRERY_ASSERT(target > 0);
  ORRERY_ASSERT(!stands_still(a.kind) || !stands_still(b.kind));
  const Vec3& origin = motion_a.from.position;
  const MovingPart first(a, motion_a, origin);
  const MovingPart second(b, motion_b, origin);
  if (!stands_still(a.kind)) return meet(shapes, first, second, target, budget, at_start);
  std::optional<Impact> impact = meet(shapes, second, first, target, budget, at_start);
  if (impact) impact->normal = -impact->normal;
  return impact;
}

}  // namespace orrery::physics
