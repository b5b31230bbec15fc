// Finds settings of a scene that cannot be intended.
#pragma once

#include "common/core/result.h"
#include "common/world/scenes/scene.h"
#include "common/world/scenes/scene_problem.h"

namespace orrery::host {

// Returns an Error for a setting of a valid scene (validate) that has no effect or causes a jerk at
// the start. Examples are a motor without a force, a velocity of a body that cannot move, and a
// joint with points that start apart. The message suggests a right setting.
//
// Scenes in JSON are refused if they fail this check. Binary scenes are not checked: those in logs
// must stay readable.
Status check_intent(const Scene& scene);

// Returns an Error about a part of a valid scene that has no effect but may be intended: a shape
// that no body has. Returns nothing if there is none.
Problem doubt_of(const Scene& scene);

}  // namespace orrery::host
