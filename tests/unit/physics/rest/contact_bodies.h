// Lists the properties of bodies that their contacts use.
#pragma once

#include <cstdint>
#include <vector>

#include "common/physics/body/bodies.h"
#include "common/physics/solve/contact_geometry.h"

namespace orrery {

// Returns the properties of the bodies in all slots.
inline std::vector<physics::ContactBody> bodies_of(const physics::Bodies& bodies,
                                                   const std::vector<std::uint32_t>& shape_of) {
  std::vector<physics::ContactBody> found;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    found.push_back(physics::contact_body(bodies, slot, shape_of[slot]));
  }
  return found;
}

}  // namespace orrery
