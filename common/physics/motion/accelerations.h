// Evaluates all forces at one instant, for integration methods with stages.
#pragma once

#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/motion/forces.h"

namespace orrery::physics {

// Rates of change of one body at a fixed attitude. `acceleration` changes the velocity, world
// frame. `torque` changes the angular momentum, body coordinates.
struct Rates {
  Vec3 acceleration;
  Vec3 torque;
};

// Replaces rates[slot] of every slot below bodies.slots() by the effect of uniform gravity and all
// forces at the present positions, velocities and attitudes. The forces are those of kick() and
// kick_thrusters(). Here they depend only on the present state, without the measures by which
// kick() keeps long steps stable. Pulls are left out, because only solved scenes have them, and
// these use kick(). Results are finite while positions and velocities are within 1e60.
// REQUIRES: rates.size() == bodies.capacity().
void accelerations(const Bodies& bodies, const ForceSet& forces, const Vec3& gravity,
                   std::vector<Rates>& rates);

}  // namespace orrery::physics
