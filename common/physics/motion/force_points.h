// Computes the position, velocity and effective mass of a point of a body, for forces. Bounds
// velocities and momenta. The two functions that springs use are forced inline: compilers would
// otherwise call them, which makes kicks slower.
#pragma once

#include <algorithm>

#include "common/core/limits.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// A point of a body where a force acts. At the centre of mass the arm is zero, and the force causes
// no rotation.
struct PointState {
  Vec3 arm;  // from the centre of mass, world frame
  Vec3 position;
  Vec3 velocity;
};

// Returns the state of the point `at` (body coordinates) of the body in a slot.
[[gnu::always_inline]] inline PointState point_state(const Bodies& bodies, std::uint32_t slot,
                                                     const Vec3& at) {
  if (at == Vec3{}) return {{}, bodies.position(slot), bodies.velocity(slot)};
  const Vec3 arm = rotate(bodies.orientation(slot), at);
  return {arm, bodies.position(slot) + arm,
          bodies.velocity(slot) + cross(bodies.angular_velocity(slot), arm)};
}

// Returns the angular momentum about a principal axis, clamped so that the angular speed about this
// axis is within limits::kAngularSpeedMax. Returns 0 if the inverse inertia is 0.
inline double bounded_momentum(double momentum, double inverse_inertia) {
  const double speed = momentum * inverse_inertia;
  if (speed > limits::kAngularSpeedMax) return limits::kAngularSpeedMax / inverse_inertia;
  if (speed < -limits::kAngularSpeedMax) return -limits::kAngularSpeedMax / inverse_inertia;
  return inverse_inertia > 0 ? momentum : 0;
}

// Returns the inverse effective mass of a point along the unit vector n: the change of its speed
// along n per impulse along n. With j = arm x n it is 1/m + j . I^-1 j; `lever` is j in body axes.
[[gnu::always_inline]] inline double inverse_effective_mass(const Bodies& bodies,
                                                            std::uint32_t slot, const Vec3& arm,
                                                            const Vec3& n) {
  // A kinematic body ignores impulses. Its inverse inertia is not 0, but serves only to compute its
  // angular velocity.
  if (arm == Vec3{} || bodies.inverse_mass(slot) == 0) return bodies.inverse_mass(slot);
  const Vec3 lever = rotate_back(bodies.orientation(slot), cross(arm, n));
  return bodies.inverse_mass(slot) + dot(lever, scaled(bodies.inverse_inertia(slot), lever));
}

// Clamp each component of a velocity to limits::kSpeedMax, and the angular speed about each
// principal axis to limits::kAngularSpeedMax.
inline Vec3 bounded_velocity(const Vec3& v) { return clamped(v, limits::kSpeedMax); }
inline Vec3 bounded_momentum(const Vec3& l, const Vec3& inverse_inertia) {
  return {bounded_momentum(l.x, inverse_inertia.x), bounded_momentum(l.y, inverse_inertia.y),
          bounded_momentum(l.z, inverse_inertia.z)};
}

}  // namespace orrery::physics
