// The keys that a scene maps to commands.
#pragma once

#include <optional>

#include "common/core/result.h"
#include "common/world/command.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// Returns an Error if the key, its label, or a number of its command is invalid, or if its body or
// joint does not exist.
Problem key_problem(const KeyDef& key, const Scene& scene);

// Returns an Error for a field that the command of the key does not have, and for a joint that no
// player may drive. REQUIRES: the scene is valid.
Problem key_doubt(const KeyDef& key, const Scene& scene);

// Return the command that a player gives when the key is pressed or released; nothing if there is
// none at the release. The body is 0 if it is the one that the player owns. A vector is not turned.
// REQUIRES: the scene is valid.
CommandPayload pressed_command(const KeyDef& key, const Scene& scene);
std::optional<CommandPayload> released_command(const KeyDef& key, const Scene& scene);

}  // namespace orrery
