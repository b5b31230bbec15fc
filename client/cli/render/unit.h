// Names units of SI in reports, for scenes that are in SI.
#pragma once

#include <string>

#include "common/world/report/conserved.h"

namespace orrery::cli {

// Returns the unit after a space. Returns nothing if the scene is not in SI.
inline std::string unit_in(const Scene& scene, const char* unit) {
  return is_in_si(scene) ? std::string(" ") + unit : std::string();
}

}  // namespace orrery::cli
