// Counts how often the ball enters the goal, and puts it back on its spot: a first rule.
//
//   cc -std=c99 goals.c $(pkg-config --cflags --libs orrery-server) -o goals
//   ./goals --scene goals.json
#include <stdio.h>

#include "orrery_server.h"

enum { kBall = 2, kMost = 65536 };  // the id of the ball in goals.json; most events of a tick
static orrery_event events[kMost];

int main(int argc, char** argv) {
  char why[512];
  orrery_server* server;
  orrery_world* world;
  orrery_world_info info = {.size = sizeof info};
  const orrery_command spot = {sizeof spot, ORRERY_PLACE, .subject = kBall, .first = {0, 3, 0},
                               .orientation = {0, 0, 0, 1}};
  const char* const* words = (const char* const*)argv + 1;
  if (orrery_server_open(words, (uint32_t)argc - 1, &server, why, sizeof why)) return puts(why), 2;
  orrery_server_world(server, &world);
  for (int i = 0; i < kMost; ++i) events[i].size = sizeof events[i];
  for (int goals = 0; orrery_server_wait(server) == ORRERY_OK; orrery_server_step(server)) {
    orrery_get_world_info(world, &info);
    orrery_world_events(world, events, kMost);
    for (uint32_t i = 0; i < info.events; ++i) {
      if (events[i].kind == ORRERY_SENSOR_BEGIN && !orrery_server_command(server, &spot, NULL))
        fprintf(stderr, "goals %d\n", ++goals);
    }
  }
  return orrery_server_close(server, why, sizeof why) ? puts(why), 1 : 0;
}
