// Counts how often the ball enters the goal, and puts it back on its spot.
#include <cstdio>

#include "orrery_server.hpp"

int main(int argc, char** argv) {
  const std::uint32_t ball = 2;  // its id in goals.json
  orrery::rules::Server server({argv + 1, argv + argc});
  for (int goals = 0; server.wait(); server.step()) {  // before each tick
    for (const orrery_event& event : server.events()) {
      if (event.kind != ORRERY_SENSOR_BEGIN) continue;
      std::fprintf(stderr, "goals %d\n", ++goals);
      server.command({.kind = ORRERY_PLACE, .subject = ball, .first = {0, 3, 0}});
    }
  }
}
