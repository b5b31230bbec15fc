// Owns what forces ask of a body: where a point of it is, how it moves and how heavy it feels
// there. Compilers leave the two that springs ask calls, which take a tenth of a kick.
#pragma once

#include <algorithm>

#include "common/core/limits.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// A point of a body, as the forces that act there see it. Where it is the centre of mass, as for
// all point masses, nothing turns and the arm is zero.
struct PointState {
  Vec3 arm;  // from the centre of mass, world frame
  Vec3 position;
  Vec3 velocity;
};

[[gnu::always_inline]] inline PointState point_state(const Bodies& bodies, std::uint32_t slot,
                                                     const Vec3& at) {
  if (at == Vec3{}) return {{}, bodies.position(slot), bodies.velocity(slot)};
  const Vec3 arm = rotate(bodies.orientation(slot), at);
  return {arm, bodies.position(slot) + arm,
          bodies.velocity(slot) + cross(bodies.angular_velocity(slot), arm)};
}

inline Vec3 clamped(const Vec3& v, double limit) {
  return {std::clamp(v.x, -limit, limit), std::clamp(v.y, -limit, limit),
          std::clamp(v.z, -limit, limit)};
}

// The nearest angular momentum about a principal axis whose angular speed is within its limit.
inline double bounded_momentum(double momentum, double inverse_inertia) {
  const double speed = momentum * inverse_inertia;
  if (speed > limits::kAngularSpeedMax) return limits::kAngularSpeedMax / inverse_inertia;
  if (speed < -limits::kAngularSpeedMax) return -limits::kAngularSpeedMax / inverse_inertia;
  return inverse_inertia > 0 ? momentum : 0;
}

// How much the speed of a point along the unit vector n changes per impulse along n: the inverse of
// the mass that the impulse feels.
[[gnu::always_inline]] inline double inverse_effective_mass(const Bodies& bodies,
                                                            std::uint32_t slot, const Vec3& arm,
                                                            const Vec3& n) {
  // A kinematic body has an inverse inertia, so that it has an angular velocity, and feels nothing.
  if (arm == Vec3{} || bodies.inverse_mass(slot) == 0) return bodies.inverse_mass(slot);
  const Vec3 lever = rotate_back(bodies.orientation(slot), cross(arm, n));
  return bodies.inverse_mass(slot) + dot(lever, scaled(bodies.inverse_inertia(slot), lever));
}

// What a force leaves speeds and angular speeds within (limits.h).
inline Vec3 bounded_velocity(const Vec3& v) { return clamped(v, limits::kSpeedMax); }
inline Vec3 bounded_momentum(const Vec3& l, const Vec3& inverse_inertia) {
  return {bounded_momentum(l.x, inverse_inertia.x), bounded_momentum(l.y, inverse_inertia.y),
          bounded_momentum(l.z, inverse_inertia.z)};
}

}  // namespace orrery::physics
