// Limits how much commands may change the motion of a body.
#pragma once

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/motion/forces.h"

namespace orrery::physics {

// Limits of a scene on commands, in its units. Each bounds the length of a vector. The effects of
// contacts, springs, gravity and the scene itself are not limited.
struct CommandLimits {
  double acceleration_max = 1000;          // force of a thrust, divided by the mass
  double angular_acceleration_max = 1000;  // angular acceleration by a torque, rad per time squared
  double speed_max = 200;                  // largest speed that a command may cause
  double spin_max = 100;  // largest angular speed that a torque may cause, rad per time
};

// Return the largest fraction (at most 1) of a force, or of a torque in world axes, that keeps the
// acceleration within the limits.
double share_of_force(const Vec3& force, double inverse_mass, const CommandLimits& limits);
double share_of_torque(const Vec3& torque, const Quat& attitude, const Vec3& inverse_inertia,
                       const CommandLimits& limits);

// Returns the velocity `after` a command, shortened to speed_max if it is faster. If the speed
// before the command was already larger than speed_max, that speed is the limit instead.
// REQUIRES: speed_max >= 0.
Vec3 limited_velocity(const Vec3& before, const Vec3& after, double speed_max);

// Returns the angular momentum (body axes) `after` a torque. If the body then spins faster than
// spin_max, shortens the momentum until the spin is spin_max, but keeps at least the rotational
// energy from before the torque. The bound is on energy, because the angular speed of a tumbling
// body changes without any torque. With a bound only on the speed, a held torque could add energy
// without end. REQUIRES: spin_max >= 0.
Vec3 limited_momentum(const Vec3& before, const Vec3& after, const Vec3& inverse_inertia,
                      double spin_max);

// Replaces forces.thrusters by the thrusts in forces.held, each shortened so that a kick of length
// h from the present velocities and attitudes stays within the limits. REQUIRES: h > 0.
void limit_thrusts(const Bodies& bodies, const CommandLimits& limits, double h, ForceSet& forces);

}  // namespace orrery::physics
