// Owns what forces do at one instant: accelerations and torques, for methods with stages.
#pragma once

#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/motion/forces.h"

namespace orrery::physics {

// Of one body: dv/dt in the world, and dL/dt in its own coordinates at a standing attitude.
struct Rates {
  Vec3 acceleration;
  Vec3 torque;
};

// Replaces rates[slot] of every slot below bodies.slots() by what uniform gravity and all forces do
// at the present positions, velocities and attitudes: the same forces as those of kick(), but as
// they stand, with nothing that would make a long step stable. `rates` has bodies.capacity()
// elements. What it writes is finite as long as positions and velocities are within 1e60.
void accelerations(const Bodies& bodies, const ForceSet& forces, const Vec3& gravity,
                   std::vector<Rates>& rates);

}  // namespace orrery::physics
