// The bodies of a world, for a picture.
#pragma once

#include <vector>

#include "client/cli/render/picture/outlines.h"
#include "common/world/world.h"

namespace orrery::cli {

// Returns the models of the world's scene.
Models models_of(const World& world);

// Returns the living bodies of a world, ascending by slot.
std::vector<DrawnBody> bodies_of(const World& world);

}  // namespace orrery::cli
