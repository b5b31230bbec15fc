// The state of a session at one moment, as a live view shows it.
#pragma once

#include <string>
#include <vector>

#include "client/cli/render/picture/outlines.h"

namespace orrery::cli {

// Everything that a page shows.
struct Moment {
  std::string scene;  // printable name of the scene
  double tick = 0;
  std::uint32_t tick_rate = 0;    // ticks per second
  bool in_si = true;              // units of SI; false: the scene has units of its own
  std::vector<DrawnBody> bodies;  // ascending by slot
  // Shapes and names of the bodies. A page is drawn only if this is not nullptr.
  const Models* models = nullptr;
  std::string note;  // printable text for the last line; may be empty
};

}  // namespace orrery::cli
