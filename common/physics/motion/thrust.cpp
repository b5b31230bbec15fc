// Applies the limits of commands. A command within the limits is not changed in any bit.
#include "common/physics/motion/thrust.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::physics {
namespace {

// Returns the factor that shortens v to length `most`, or 1 if v is not longer.
double share_within(const Vec3& v, double most) {
  ORRERY_ASSERT(most >= 0);
  const double square = dot(v, v);
  return square > most * most ? most / square_root(square) : 1;
}

Vec3 limited_force(const Bodies& bodies, const CommandLimits& limits, double h,
                   const Thruster& held) {
  const double inverse_mass = bodies.inverse_mass(held.slot);
  const Vec3 force = share_of_force(held.force, inverse_mass, limits) * held.force;
  const Vec3 before = bodies.velocity(held.slot);
  const Vec3 after = before + h * (inverse_mass * force);
  const Vec3 limited = limited_velocity(before, after, limits.speed_max);
  return limited == after ? force : (1 / (h * inverse_mass)) * (limited - before);
}

Vec3 limited_torque(const Bodies& bodies, const CommandLimits& limits, double h,
                    const Thruster& held) {
  const Quat& attitude = bodies.orientation(held.slot);
  const Vec3 inverse_inertia = bodies.inverse_inertia(held.slot);
  const Vec3 torque = share_of_torque(held.torque, attitude, inverse_inertia, limits) * held.torque;
  const Vec3 before = bodies.angular_momentum(held.slot);
  const Vec3 after = before + h * rotate_back(attitude, torque);
  const Vec3 limited = limited_momentum(before, after, inverse_inertia, limits.spin_max);
  return limited == after ? torque : rotate(attitude, (1 / h) * (limited - before));
}

}  // namespace

double share_of_force(const Vec3& force, double inverse_mass, const CommandLimits& limits) {
  return share_within(inverse_mass * force, limits.acceleration_max);
}

double share_of_torque(const Vec3& torque, const Quat& attitude, const Vec3& inverse_inertia,
                       const CommandLimits& limits) {
  const Vec3 acceleration = scaled(inverse_inertia, rotate_back(attitude, torque));
  return share_within(acceleration, limits.angular_acceleration_max);
}

Vec3 limited_velocity(const Vec3& before, const Vec3& after, double speed_max) {
  ORRERY_ASSERT(speed_max >= 0);
  const double square = dot(after, after);
  if (!(square > speed_max * speed_max)) return after;
  const double speed = square_root(square);
  const double most = std::max(speed_max, length(before));
  return speed > most ? (most / speed) * after : after;
}

Vec3 limited_momentum(const Vec3& before, const Vec3& after, const Vec3& inverse_inertia,
                      double spin_max) {
  ORRERY_ASSERT(spin_max >= 0);
  const Vec3 spin = scaled(inverse_inertia, after);
  const double square = dot(spin, spin);
  if (!(square > spin_max * spin_max)) return after;
  const double energy_before = dot(before, scaled(inverse_inertia, before));
  const double energy_after = dot(after, spin);
  if (!(energy_before < energy_after)) return after;
  const double kept = square_root(energy_before / energy_after);
  return std::max(spin_max / square_root(square), kept) * after;
}

void limit_thrusts(const Bodies& bodies, const CommandLimits& limits, double h, ForceSet& forces) {
  ORRERY_ASSERT(h > 0);
  forces.thrusters.clear();
  for (const Thruster& held : forces.held) {
    forces.thrusters.push_back({held.slot, limited_force(bodies, limits, h, held),
                                limited_torque(bodies, limits, h, held)});
  }
}

}  // namespace orrery::physics
