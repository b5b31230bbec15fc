// Answers queries about two parts: contact manifold, overlap, time of impact, ray cast.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/math/pose.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

// A contact point of two parts.
struct ManifoldPoint {
  Vec3 at;                    // half way between the surfaces; world axes, relative to body A
  double separation = 0;      // along the normal; negative: overlap
  std::uint32_t feature = 0;  // feature id: equal while the same corners and edges make the point
};

// A contact manifold of two parts that touch or nearly touch.
struct Manifold {
  Vec3 normal;  // world axes, unit length, from A to B
  std::uint32_t count = 0;
  bool face_of_b = false;  // the normal belongs to a face of B; else it turns with A
  bool on_face = false;    // the normal belongs to a triangle of a surface
  ManifoldPoint points[4];
};

// Maximum number of manifolds of a part and a surface. A part can touch a surface on several sides:
// a ball in a ditch has two manifolds.
inline constexpr std::uint32_t kSurfaceManifoldsMax = 4;

// Returns the maximum number of manifolds that two parts can have.
inline std::uint32_t manifolds_max(const Part& a, const Part& b) {
  return is_surface(a.kind) || is_surface(b.kind) ? kSurfaceManifoldsMax : 1;
}

// Computes the manifold of two convex parts that are at most `margin` apart. A plane counts as
// convex, and two planes never touch. Returns false if the parts are farther apart; the manifold is
// then undefined. Poses are those of the bodies. Points are relative to body A, so that no
// precision is lost far from the origin.
// REQUIRES: margin >= 0.
bool collide(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
             const Pose& pose_b, double margin, Manifold& manifold);

// Computes the manifolds of a convex part and a surface, and returns their number. Either part may
// be the surface. The manifolds ascend by the lowest triangle number in each. Surfaces are
// one-sided: a triangle has no contact with a part whose centre is behind it. Inner edges that are
// not convex are ignored, so that a part sliding on a flat mesh does not catch. REQUIRES: exactly
// one part is a surface, and margin >= 0.
std::uint32_t collide_surface(const ShapeSet& shapes, const Part& a, const Pose& pose_a,
                              const Part& b, const Pose& pose_b, double margin,
                              std::span<Manifold, kSurfaceManifoldsMax> manifolds);

// Computes the manifolds of any two parts and returns their number. Returns 0 if a contact point is
// too far from either body: a coordinate or the separation exceeds limits::kLengthMax / 2.
// REQUIRES: at most one part is a surface.
std::uint32_t find_manifolds(const ShapeSet& shapes, const Part& a, const Pose& pose_a,
                             const Part& b, const Pose& pose_b, double margin,
                             std::span<Manifold, kSurfaceManifoldsMax> manifolds);

// Returns the overlap of two convex parts: the least distance that one must move to be clear of the
// other, or 0 if they are apart. Exact up to rounding. Reports and tests use it to check collide(),
// because the algorithms are independent.
// REQUIRES: at most one part is a plane.
double overlap(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
               const Pose& pose_b);

// The motion of a body: along a straight line, and rotating about its position by less than half a
// turn.
struct Motion {
  Pose from;
  Pose to;
};

// Returns the pose after a fraction of the motion. Interpolates the position and the quaternion
// linearly, and normalizes the quaternion.
// REQUIRES: 0 <= fraction <= 1.
Pose pose_at(const Motion& motion, double fraction);

// Returns the motion of the point `at` (body coordinates) of a body, as a straight line from its
// start to its end, without rotation.
Motion way_of(const Motion& body, const Vec3& at);

// Returns a box around the way of a body's position, enlarged by a margin.
// REQUIRES: margin >= 0.
Aabb around(const Motion& way, double margin);

// The first time that two moving parts meet.
struct Impact {
  double fraction = 0;  // of the motion, 0 to 1
  Vec3 normal;          // world axes, unit length, from A to B; zero if they overlap at the start
};

// Feature id of the point of passing_plane().
inline constexpr std::uint32_t kPassingFeature = ~0u;

// Returns the contact with a plane that separates two parts all the way: at the start, at the end,
// and, since they are convex, in between. It lies between their nearest points at the end or in the
// middle of the motion. Rotation is bounded (by about 1 radian). The point is between the
// parts at the start, as in a manifold of collide(). The contact holds for this motion only.
// Returns nothing if the plane does not separate the parts. REQUIRES: both parts are convex, and
// neither is a plane.
std::optional<Manifold> passing_plane(const ShapeSet& shapes, const Part& a, const Motion& motion_a,
                                      const Part& b, const Motion& motion_b);

// Returns a bound on the way of the points of a body, which are at most `reach` from its position.
double points_way(double reach, const Motion& motion);

// Return a box around a part, or around the parts of a body, during the whole motion.
// REQUIRES: there is a part.
Aabb swept_bounds(const ShapeSet& shapes, const Part& part, const Motion& motion);
Aabb swept_bounds(const ShapeSet& shapes, std::span<const Part> parts, const Motion& motion);

// The work that a search for impacts may still do. Its unit is the test of one box of a tree. A
// cast computes the time of impact of two parts, or of a part and a triangle, and costs
// kBoxesPerCast. Once work was refused, the result of the search is incomplete.
class SweepBudget {
 public:
  static constexpr std::uint32_t kBoxesPerCast = 64;  // a cast takes about as long as 64 box tests

  explicit SweepBudget(std::uint32_t boxes) : left_(boxes) {}

  // Spend work for a box or a cast. Return false once the budget is exceeded.
  bool look() { return take(1); }
  bool cast() { return take(kBoxesPerCast); }
  bool exceeded() const { return exceeded_; }

 private:
  bool take(std::uint32_t boxes) {
    exceeded_ = exceeded_ || left_ < boxes;
    if (!exceeded_) left_ -= boxes;
    return !exceeded_;
  }

  std::uint32_t left_;
  bool exceeded_ = false;
};

// Says which parts that are near enough at the start of their motion have an impact there: any, or
// only parts that come closer without overlap. Then triangles are one-sided, as for contacts.
enum class AtStart : std::uint8_t { any, closing };

// Returns when two moving parts come within the distance `target` of each other, or nothing if they
// stay farther apart. The distance at the result exceeds `target` by at most 25 %, unless the parts
// only graze each other. Conservative advancement (Mirtich 1996) never skips an impact: no motion
// passes through anything, however thin. The fraction is 0 if the parts are near enough at the
// start. One part may be a plane or a surface, and each triangle of a surface costs a cast. Without
// a budget the search is unlimited. REQUIRES: target >
// 0, and at least one part is neither plane nor surface.
std::optional<Impact> time_of_impact(const ShapeSet& shapes, const Part& a, const Motion& motion_a,
                                     const Part& b, const Motion& motion_b, double target,
                                     SweepBudget* budget = nullptr,
                                     AtStart at_start = AtStart::any);

// The first point of a ray on a part.
struct RayHit {
  double fraction = 0;  // of the ray, 0 to 1
  Vec3 normal;          // world axes, unit length, outward; zero if the ray starts inside
};

// Returns where the ray from `origin` to origin + `along` (world frame) first meets a part, if it
// does. Rays hit a surface from its front only.
std::optional<RayHit> cast_ray(const ShapeSet& shapes, const Part& part, const Pose& body,
                               const Vec3& origin, const Vec3& along);

}  // namespace orrery::physics
