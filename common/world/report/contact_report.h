// Measures contacts, overlaps, joints and islands of a world, for reports.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// The state of contacts and joints after a tick. Lengths and energies are in the units of the
// scene.
struct ContactReport {
  std::uint32_t contacts = 0;  // contacts of awake and sleeping bodies
  std::uint32_t points = 0;    // contact points of these contacts
  std::uint32_t islands = 0;   // groups of movable bodies that nearness, springs or joints connect
  std::uint32_t awake = 0;     // bodies that can move and do not sleep
  std::uint32_t overlapping = 0;  // pairs of convex parts that overlap
  double mean_overlap = 0;        // mean depth of these pairs; length
  double deepest_overlap = 0;     // greatest depth of these pairs; length
  double top = 0;  // highest centre of a body that can move, along y; -infinity without one
  double kinetic_energy = 0;  // of all bodies that can move, rotation included
  bool complete = true;  // false if the tick or this report left out pairs or contacts at a limit
  std::uint32_t joints = 0;  // joints that are not broken
  double deepest_joint = 0;  // greatest error of these joints; length
};

// Returns the report of a world. Overlaps are exact: the function measures all nearby pairs of
// convex parts again, and does not rely on the solver's values. It leaves out sensors, parts
// that their filters keep apart, and pairs of bodies that a joint keeps from touching each other.
// REQUIRES: The scene is solved (needs_contact_solver).
ContactReport report_contacts(const World& world, Executor& executor);

}  // namespace orrery
