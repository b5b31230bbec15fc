// Checks that the states of bodies are finite and bounded.
#pragma once

#include <optional>

#include "common/world/world.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// Checks position, velocity, spin and the length of the orientation of every body. If
// `hostile_was_here`, the bounds are twice the limits of commands. Otherwise they are tighter:
// honest clients do not push so hard.
std::optional<Violation> check_body_bounds(const World& world, bool hostile_was_here);

}  // namespace orrery::fleet
