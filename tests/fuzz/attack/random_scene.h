// Owns random scenes: sound ones of every kind that the format has.
#pragma once

#include <cstdint>

#include "common/world/scenes/scene.h"
#include "tests/fuzz/attack/seeded.h"

namespace orrery::attack {

// A sound scene of this seed. Most have two to thirty bodies, one in twelve has some hundreds, so
// that threads share its ticks. Even seeds have bodies that touch nothing, and any integrator. One
// in four has some numbers from the ends of their ranges.
Scene random_scene(std::uint64_t seed);

// Counts the kinds of things that the scene has.
void count_kinds(const Scene& scene, Counts& counts);

}  // namespace orrery::attack
