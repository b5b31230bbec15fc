// Converts the joints of a scene into those of the solver.
#pragma once

#include <vector>

#include "common/physics/solve/joints.h"
#include "common/world/world.h"

namespace orrery {

// Returns the joints of a scene, with the frame of each joint in both bodies.
// REQUIRES: Every body of the scene is in the slot of its id, with the pose that the scene gives
// it.
std::vector<physics::Joint> make_joints(const World& world);

}  // namespace orrery
