// Converts the joints of a scene into those of the solver.
#pragma once

#include <vector>

#include "common/physics/joints/joints.h"
#include "common/world/world.h"

namespace orrery {

// Returns a rotation that takes the x axis to a direction (of any length). It is the rotation by
// the smallest angle, unless the direction is within 60 degrees of -x.
// REQUIRES: direction is not zero.
Quat turn_from_x(const Vec3& direction);

// Returns the joints of a scene, with the frame of each joint in both bodies.
// REQUIRES: Every body of the scene is in the slot of its id, with the pose that the scene gives
// it.
std::vector<physics::Joint> make_joints(const World& world);

}  // namespace orrery
