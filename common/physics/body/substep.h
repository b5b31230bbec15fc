// Describes a substep to the solver.
#pragma once

#include "common/math/vec3.h"

namespace orrery::physics {

// A substep of a tick.
struct Substep {
  double h = 0;     // length, time
  Vec3 gravity;     // uniform acceleration; each body feels it times its gravity scale
  double tick = 0;  // length of the tick, time
};

}  // namespace orrery::physics
