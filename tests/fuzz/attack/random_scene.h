// Generates valid random scenes of every kind that the format allows.
#pragma once

#include <cstdint>

#include "common/world/scenes/scene.h"
#include "tests/fuzz/attack/seeded.h"

namespace orrery::attack {

// Returns the scene of a seed. Most scenes have 2 to 31 bodies. About one in ten has hundreds, so
// that threads share its ticks. In scenes of every fourth seed bodies do not collide, and the
// integrator varies. In one of four scenes up to four numbers have any magnitude that their ranges
// allow.
Scene random_scene(std::uint64_t seed);

// Adds the features of the scene to `counts`, by kind.
void count_kinds(const Scene& scene, Counts& counts);

}  // namespace orrery::attack
