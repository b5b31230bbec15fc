// Owns the questions about two parts: where they touch, how far they overlap, when they will meet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/math/pose.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

struct ManifoldPoint {
  Vec3 at;  // half way between the surfaces; world axes, from the centre of mass of body A
  double separation = 0;      // along the normal; negative: overlap
  std::uint32_t feature = 0;  // the same while the same corners and edges make the point
};

// Where two convex parts touch, or nearly do.
struct Manifold {
  Vec3 normal;  // world axes, unit length, from A to B
  std::uint32_t count = 0;
  ManifoldPoint points[4];
};

// A surface is touched from several sides at once: a ball in a ditch has two manifolds.
inline constexpr std::uint32_t kSurfaceManifoldsMax = 4;

// Between two parts.
inline std::uint32_t manifolds_max(const Part& a, const Part& b) {
  return is_surface(a.kind) || is_surface(b.kind) ? kSurfaceManifoldsMax : 1;
}

// The manifold of two convex parts (a plane counts as one; two planes never meet) that are at most
// `margin` apart; false if they are farther, and then the manifold is not to be used. Poses are of
// the bodies. Positions count relative to body A, so nothing is lost far from the origin.
bool collide(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
             const Pose& pose_b, double margin, Manifold& manifold);

// The same for one convex part and one surface, in either order: the number of manifolds written,
// in an order that changes only if other triangles are touched. Surfaces are one-sided: a triangle
// does not hold a part whose middle is behind it. Sides at which triangles do not stick out are
// passed over: what slides on a flat mesh does not catch.
std::uint32_t collide_surface(const ShapeSet& shapes, const Part& a, const Pose& pose_a,
                              const Part& b, const Pose& pose_b, double margin,
                              std::span<Manifold, kSurfaceManifoldsMax> manifolds);

// The manifolds of any two parts, of which at most one is a surface: how many. What has left all
// limits touches nothing: no point is farther from either body than limits::kLengthMax.
std::uint32_t find_manifolds(const ShapeSet& shapes, const Part& a, const Pose& pose_a,
                             const Part& b, const Pose& pose_b, double margin,
                             std::span<Manifold, kSurfaceManifoldsMax> manifolds);

// How far two convex parts overlap: the least distance that one must be moved by to be clear of the
// other; 0 if they do not overlap. Exact up to rounding, by another way than collide().
double overlap(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
               const Pose& pose_b);

// The way of a body: straight, and turning about its position; `to` is turned by less than half a
// turn.
struct Motion {
  Pose from;
  Pose to;
};

// After a fraction of the way: positions by the straight line, orientations by the chord.
Pose pose_at(const Motion& motion, double fraction);

struct Impact {
  double fraction = 0;  // of the way, 0 to 1
  Vec3 normal;          // world axes, unit length, from A to B; zero if they overlap at the start
};

// Around a part all along its way.
Aabb swept_bounds(const ShapeSet& shapes, const Part& part, const Motion& motion);

// What a search for meetings may still look at. A cast, which finds when two pieces meet, counts as
// many boxes. Once something is refused the search has not seen all.
class SweepBudget {
 public:
  static constexpr std::uint32_t kBoxesPerCast = 64;  // it takes about as long

  explicit SweepBudget(std::uint32_t boxes) : left_(boxes) {}

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

// When two parts first come as near as `target` > 0 on their ways, at the latest; nothing if they
// stay farther apart. By conservative advancement (Mirtich 1996), to a quarter of `target`: no way
// passes through anything, however thin. Fraction 0 if they are as near at the start. One part may
// be a plane or a surface, of which each triangle is a cast; without a budget there is no end to
// it.
std::optional<Impact> time_of_impact(const ShapeSet& shapes, const Part& a, const Motion& motion_a,
                                     const Part& b, const Motion& motion_b, double target,
                                     SweepBudget* budget = nullptr);

struct RayHit {
  double fraction = 0;  // of the ray, 0 to 1
  Vec3 normal;          // world axes, unit length, outward; zero if the ray starts inside
};

// Where the ray from `origin` to origin + `along` (world frame) first meets a part; a surface is
// met from its front only.
std::optional<RayHit> cast_ray(const ShapeSet& shapes, const Part& part, const Pose& body,
                               const Vec3& origin, const Vec3& along);

}  // namespace orrery::physics
