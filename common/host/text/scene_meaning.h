// Finds settings of a scene that cannot be intended.
#pragma once

#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery::host {

// Returns an Error for a setting of a valid scene (validate) that has no effect or causes a jerk at
// the start. Examples are a motor without a force, a velocity of a body that cannot move, and a
// joint whose points start apart. The message says what would be right.
//
// Scenes that people write are refused if they fail this check. Scenes in logs are not checked, so
// that recordings stay readable.
Status check_intent(const Scene& scene);

}  // namespace orrery::host
