// Computes the mass properties of solids and of sums of solids; used only by shape.cpp and a test.
#pragma once

#include <span>

#include "common/physics/shape/shape.h"

namespace orrery::physics {

// Returns the mass properties of a sphere, capsule, box or hull in the coordinates of its shape.
// The principal axes of a hull are computed; those of other parts are the part's own axes. `hull`
// is in the axes of the part, and is used only if the part is a hull.
// REQUIRES: part.density > 0.
MassProperties mass_properties(const PartDef& part, const Hull& hull);

// Returns the mass properties of rigidly joined solids. Overlapping volume counts for each solid.
// REQUIRES: at least one solid, and every mass > 0.
MassProperties joined(std::span<const MassProperties> solids);

}  // namespace orrery::physics
