// Owns what a report says about bodies that touch and hang together.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

struct ContactReport {
  std::uint32_t contacts = 0;     // pairs of parts that the solver holds apart
  std::uint32_t points = 0;       // of them
  std::uint32_t islands = 0;      // what hangs together: bodies near each other, or joined
  std::uint32_t awake = 0;        // bodies that move, and do not sleep
  std::uint32_t overlapping = 0;  // pairs of parts that are inside each other
  double mean_overlap = 0;        // of those pairs; length
  double deepest_overlap = 0;     // of all; length
  double top = 0;                 // highest centre of a body that moves, along y; or -infinity
  double kinetic_energy = 0;      // of all bodies: moving and turning
  bool complete = true;           // false: more pairs or contacts than limits.h allows
  std::uint32_t joints = 0;       // that are not broken
  double deepest_joint = 0;       // how far the worst of them is off; length
};

// Of a world that is solved. Overlaps are exact, measured between all pairs of convex parts anew,
// not what the solver believes.
ContactReport report_contacts(const World& world, Executor& executor);

}  // namespace orrery
