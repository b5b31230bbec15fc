// Generates random shapes of every kind.
#pragma once

#include "common/core/rng.h"
#include "common/physics/shape/shape.h"

namespace orrery::attack {

// Returns a shape of one or more parts. The first part of a `fixed` shape is a plane, height field
// or mesh, which only anchors may have.
physics::ShapeDef any_shape(SplitMix64& draw, bool fixed);

}  // namespace orrery::attack
