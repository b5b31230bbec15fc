// Runs a server with rules that decide nothing, for tests/bench/empty_rules.
#include <stdio.h>

#include "orrery_server.h"

int main(int argc, char** argv) {
  char why[512];
  orrery_server* server;
  const char* const* words = (const char* const*)argv + 1;
  if (orrery_server_open(words, (uint32_t)argc - 1, &server, why, sizeof why)) return puts(why), 2;
  while (orrery_server_wait(server) == ORRERY_OK) orrery_server_step(server);
  return orrery_server_close(server, why, sizeof why) ? puts(why), 1 : 0;
}
