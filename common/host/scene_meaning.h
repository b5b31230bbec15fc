// Owns what a sound scene says that nobody can mean.
#pragma once

#include "common/core/result.h"
#include "common/world/scene.h"

namespace orrery {

// Says what of a sound scene (validate) has no effect, or starts with a jerk: a motor without a
// force, a velocity of what does not move, a joint whose points start apart. Scenes that people
// write are refused for it, with what would be right. Those in logs are not: what was recorded
// stays readable.
Status check_meaning(const Scene& scene);

}  // namespace orrery
