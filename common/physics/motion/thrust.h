// Owns the limits of commands: how much they may change the motion of a body.
#pragma once

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/motion/forces.h"

namespace orrery::physics {

// Limits of a scene, in its units. Each is a length of a vector; 0 means that commands cause none.
// What contacts, springs, gravity and the scene itself do is not limited.
struct CommandLimits {
  double acceleration_max = 1000;          // force of a thrust, divided by the mass
  double angular_acceleration_max = 1000;  // what a torque does to the spin, rad per time squared
  double speed_max = 200;                  // that a command brings a body to
  double spin_max = 100;                   // the same of the angular speed, rad per time
};

// The share of a force, or of a torque in world axes, that accelerates a body within the limits: 1
// if all of it does.
double share_of_force(const Vec3& force, double inverse_mass, const CommandLimits& limits);
double share_of_torque(const Vec3& torque, const Quat& attitude, const Vec3& inverse_inertia,
                       const CommandLimits& limits);

// Returns the velocity `after` a command, or, if that is faster than speed_max, the velocity in the
// same direction at speed_max. A body that was faster before keeps its speed.
Vec3 limited_velocity(const Vec3& before, const Vec3& after, double speed_max);

// Returns the angular momentum (body axes) `after` a torque, or, if the body spins faster than
// spin_max then, the momentum in the same direction at spin_max. A body that had more energy before
// keeps its energy: as it tumbles, its angular speed changes by itself, and a bound on the speed
// alone would let a held torque add energy without end.
Vec3 limited_momentum(const Vec3& before, const Vec3& after, const Vec3& inverse_inertia,
                      double spin_max);

// Replaces the thrusters by the held thrusts within the limits, for a kick of h that begins with
// the present velocities and attitudes.
void limit_thrusts(const Bodies& bodies, const CommandLimits& limits, double h, ForceSet& forces);

}  // namespace orrery::physics
