// Owns the scripts of a scene: what moves bodies without a client.
#pragma once

#include "common/world/world.h"

namespace orrery {

// At the start of a tick: what the scripts do in it, as forces. It follows from the scene, the
// number of the tick and where the bodies are: nothing of it belongs to the state of a world.
void run_scripts(World& world);

}  // namespace orrery
