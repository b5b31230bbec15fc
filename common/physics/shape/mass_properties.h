// Owns the mass properties of solids, and of sums of them; for shape.cpp alone.
#pragma once

#include <span>

#include "common/physics/shape/shape.h"

namespace orrery::physics {

// Of a sphere, capsule, box or hull in the coordinates of its shape. Principal axes are the part's
// own, but for hulls, whose centre of volume is the origin of the part.
MassProperties mass_properties(const PartDef& part, const Hull& hull);

// Of several solids joined rigidly; where they overlap, both count.
MassProperties joined(std::span<const MassProperties> solids);

}  // namespace orrery::physics
