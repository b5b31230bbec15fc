// Checks that the states of bodies are finite and bounded.
#pragma once

#include <optional>

#include "common/world/world.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// Checks position, velocity, spin and the length of the orientation of every body. If
// `hostile_was_here`, the bounds follow from the limits of a world (common/core/limits.h), with a
// factor of two on its speeds, and angular momentum is checked instead of spin. Otherwise they are
// tighter.
std::optional<Violation> check_body_bounds(const World& world, bool hostile_was_here);

}  // namespace orrery::fleet
