// Makes the joints of bodies from the joints of a scene.
#pragma once

#include <vector>

#include "common/physics/solve/joints.h"
#include "common/world/world.h"

namespace orrery {

// Returns the joints of a scene, with the frame of each joint in both bodies.
// REQUIRES: Every body is in the slot of its id, where the scene puts it.
std::vector<physics::Joint> make_joints(const World& world);

}  // namespace orrery
