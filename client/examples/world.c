// Throws a body of the playground and prints where it flies: the C interface in one page.
//
//   cc -std=c99 world.c $(pkg-config --cflags --libs orrery) -o world && ./world
#include <stdio.h>
#include <stdlib.h>

#include "orrery.h"

// The numbers of a body, as orrery_world_read() writes them.
typedef struct row {
  float position[3];
  float orientation[4];
} row;

static void must(const void* handle, int32_t code) {
  char why[512];
  if (code >= 0) return;
  orrery_last_error(handle, why, sizeof why);
  fprintf(stderr, "world: error %d: %s\n", (int)code, why);
  exit(1);
}

static orrery_world_info facts(orrery_world* world) {
  orrery_world_info info = {.size = sizeof info};
  must(world, orrery_get_world_info(world, &info));
  return info;
}

int main(int argc, char** argv) {
  const char* const scene = argc > 1 ? argv[1] : "playground";
  const uint32_t body = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 37;
  char why[512];
  orrery_world* world;
  if (orrery_world_from_name(scene, &world, why, sizeof why) != ORRERY_OK) {
    fprintf(stderr, "world: %s\n", why);
    return 2;
  }

  // Client 0 lets client 1 join, and client 1 throws the body upwards, all in the first tick.
  const orrery_command commands[] = {
      {.size = sizeof(orrery_command), .kind = ORRERY_JOIN, .subject = 1, .role = ORRERY_ADMIN},
      {.size = sizeof(orrery_command), .kind = ORRERY_IMPULSE, .client = 1, .subject = body,
       .first = {0, 20, 0}},
  };
  must(world, orrery_world_step(world, commands, 2));
  printf("%s: %u of 2 commands did something\n", scene, facts(world).applied);

  orrery_body about = {.size = sizeof about};
  must(world, orrery_get_body(world, body, &about));
  for (int i = 0; i < 3; ++i) {
    row at;
    must(world, orrery_world_read(world, &body, ORRERY_POSITION | ORRERY_ORIENTATION, &at,
                                  sizeof at, 1));
    printf("tick %3u: %s at %.3f, %.3f, %.3f\n", (unsigned)facts(world).tick,
           about.name[0] ? about.name : "the body", at.position[0], at.position[1],
           at.position[2]);
    for (int tick = 0; tick < 30; ++tick) must(world, orrery_world_step(world, NULL, 0));
  }

  // The state as bytes: restore it, and the same ticks give the same bits again.
  uint64_t size = 0;
  orrery_world_save(world, NULL, 0, &size);
  void* const image = malloc((size_t)size);
  must(world, orrery_world_save(world, image, size, &size));
  uint64_t hashes[2];
  for (int run = 0; run < 2; ++run) {
    must(world, orrery_world_restore(world, image, size));
    for (int tick = 0; tick < 60; ++tick) must(world, orrery_world_step(world, NULL, 0));
    hashes[run] = facts(world).hash;
  }
  printf("hash 0x%016llx, and again 0x%016llx\n", (unsigned long long)hashes[0],
         (unsigned long long)hashes[1]);
  free(image);
  orrery_world_destroy(world);
  return hashes[0] == hashes[1] ? 0 : 1;
}
