// Owns what wakes the bodies of a world, and what keeps them awake. In scenes without sleeping all
// of it does nothing.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Something is done to the body in the slot, or to what it hangs on.
void wake(World& world, std::uint32_t slot);
// What reaches every body changes; they wake in the tick to come.
void wake_all(World& world);
// The body in the slot is about to be removed, and the joints that it has with it.
void body_goes(World& world, std::uint32_t slot);
// Another body is in the slot now, or none.
void body_replaced(World& world, std::uint32_t slot);
// To be called when bodies have come or gone, while world.forces still has the springs of before:
// wakes what a spring has lost.
void wake_cut_loose(World& world);

// Finds which bodies are near each other, wakes what something awake is near, and lets islands
// fall asleep.
void find_pairs(World& world, Executor& executor);

}  // namespace orrery
