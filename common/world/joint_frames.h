// Owns the declaration of how the joints of a scene become those of its bodies.
#pragma once

#include <vector>

#include "common/physics/joints.h"
#include "common/world/world.h"

namespace orrery {

// The joints of a scene whose bodies are in the slots of their ids, where the scene puts them.
std::vector<Joint> make_joints(const World& world);

}  // namespace orrery
