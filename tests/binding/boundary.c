// Calls every function of the C interface with random arguments, most of them wrong.
//
//   boundary LOG [SEED [CALLS]]
//   boundary LOG --plant    changes a world during a call that fails: the check must notice
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "boundary_clients.h"
#include "orrery.h"

#define WORLDS 6
#define LOGS 3

static int planted;
static orrery_world* worlds[WORLDS];
static orrery_log* logs[LOGS];

static uint64_t hash_of(orrery_world* world) {
  orrery_world_info info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  return orrery_get_world_info(world, &info) == ORRERY_OK ? info.hash ^ info.tick : 0;
}

// Ends the program if a world changed during a call that failed.
static void must_be_unchanged(orrery_world* world, uint64_t hash, int32_t code) {
  if (code >= 0) return;
  if (planted && world) orrery_world_step(world, NULL, 0);
  if (hash_of(world) != hash) broken("a world changed in a call that failed");
}

static void make_world(void) {
  static const char* const names[] = {"playground", "free:4", "boxes:3", "chain", "ragdolls:1",
                                      "tumble",     "lander", "nothing", "",      "free:999999999"};
  static const char json[] =
      "{\"bodies\": [{\"mass\": 2, \"shape\": 0}, {\"position\": [0, 5, 0]}],\n"
      " \"keys\": [{\"key\": \"w\", \"text\": \"go\", \"text_released\": \"stop\"}],\n"
      " \"shapes\": [{\"parts\": [{\"kind\": \"sphere\", \"radius\": 0.5}]}]}";
  char why[40];
  const uint32_t slot = below(WORLDS);
  char* const why_or_null = sometimes() ? NULL : why;
  orrery_world** const place = sometimes() ? NULL : &worlds[slot];
  if (place) orrery_world_destroy(*place);
  const uint32_t form = below(4);
  if (form < 2) {
    check(orrery_world_from_name(sometimes() ? NULL : names[below(10)], place, why_or_null,
                                 below(40)));
    return;
  }
  const size_t size = sometimes() ? below(sizeof json) : sizeof json - 1;
  char* const text = memory(size);
  memcpy(text, json, size);
  if (size && below(2)) text[below((uint32_t)size)] = (char)below(256);
  check(form == 2 ? orrery_world_from_json(text, size, place, why_or_null, below(40))
                  : orrery_world_from_bytes(text, size, place, why_or_null, below(40)));
  free(text);
}

static orrery_world* any_world(void) { return sometimes() ? NULL : worlds[below(WORLDS)]; }

static void step_world(void) {
  orrery_world* const world = any_world();
  const uint64_t hash = hash_of(world);
  const uint32_t count = below(4);
  orrery_command* const commands = any_commands(count);
  must_be_unchanged(world, hash, check(orrery_world_step(world, commands, count)));
  free(commands);
}

static void step_worlds(void) {
  orrery_world* some[3] = {any_world(), any_world(), any_world()};
  const uint32_t counts[3] = {0, 2, 0};
  const uint64_t hash = hash_of(some[0]);
  uint32_t failed;
  orrery_command* const commands = any_commands(2);
  must_be_unchanged(some[0], hash,
                    check(orrery_worlds_step(sometimes() ? NULL : some, below(4), commands,
                                             sometimes() ? NULL : counts, below(4),
                                             sometimes() ? NULL : &failed)));
  free(commands);
}

static void read_worlds(void) {
  static const uint32_t numbers[] = {3, 4, 7, 10, 13};
  orrery_world* some[2] = {any_world(), any_world()};
  const uint32_t what = sometimes() ? below(1024) : 1 + below(31) + (below(2) ? ORRERY_DOUBLE : 0);
  const uint32_t stride = numbers[below(5)] * (below(2) ? 8 : 4) + below(3);
  const uint32_t capacity = below(60);
  const int batch = below(2) == 1;
  unsigned char* const rows = memory((size_t)stride * capacity * 2);
  uint32_t ids[60];
  for (int i = 0; i < 60; ++i) ids[i] = below(sometimes() ? 0xffffffffu : 45);
  void* const place = sometimes() ? NULL : rows;
  const int32_t code = check(
      batch ? orrery_worlds_read(some, 2, what, place, stride, capacity, NULL)
            : orrery_world_read(some[0], below(2) ? ids : NULL, what, place, stride, capacity));
  if (code == ORRERY_OK && !batch && (what & ORRERY_DOUBLE) && (what & 15) && capacity > 0 &&
      some[0]) {
    double first;
    memcpy(&first, rows, sizeof first);
    if (hash_of(some[0]) && !isfinite(first) && ids[0] == 0) broken("a position is not finite");
  }
  check(orrery_world_ids(some[0], sometimes() ? NULL : ids, 60));
  free(rows);
}

static void describe(void) {
  orrery_world* const world = any_world();
  const uint32_t id = below(sometimes() ? 0xffffffffu : 45);
  void* const info = any_structs(sizeof(orrery_world_info), 1, 0);
  void* const body = any_structs(sizeof(orrery_body), 1, 0);
  void* const part = any_structs(sizeof(orrery_part), 1, 0);
  check(orrery_get_world_info(world, info));
  check(orrery_get_body(world, id, body));
  check(orrery_get_part(world, id, below(3), part));
  void* const link = any_structs(sizeof(orrery_link), 1, 0);
  void* const totals = any_structs(sizeof(orrery_totals), 1, 0);
  void* const difference = any_structs(sizeof(orrery_difference), 1, 0);
  check(orrery_get_link(world, below(sometimes() ? 0xffffffffu : 20), link));
  void* const key = any_structs(sizeof(orrery_key), 1, 0);
  void* const pressed = any_structs(sizeof(orrery_command), 1, 0);
  void* const released = any_structs(sizeof(orrery_command), 1, 0);
  check(orrery_get_key(world, below(sometimes() ? 0xffffffffu : 3), key, pressed, released));
  free(key);
  free(pressed);
  free(released);
  check(orrery_get_totals(world, totals));
  check(orrery_worlds_compare(world, any_world(), difference));
  free(link);
  free(totals);
  free(difference);
  uint64_t size = 0;
  const uint64_t room = below(30000);
  void* const scene = memory((size_t)room);
  check(orrery_world_scene(world, sometimes() ? NULL : scene, room, sometimes() ? NULL : &size));
  free(scene);
  const uint32_t vertices = below(20), triangles = below(30);
  double* const v = memory(vertices * 3 * sizeof *v);
  uint32_t* const t = memory(triangles * 3 * sizeof *t);
  check(orrery_get_surface(world, id, below(3), sometimes() ? NULL : v, vertices, t, triangles));
  free(info);
  free(body);
  free(part);
  free(v);
  free(t);
}

static void cast_and_list(void) {
  orrery_world* const world = any_world();
  const uint32_t count = below(4);
  orrery_ray* const rays = any_structs(sizeof *rays, count, sometimes());
  for (uint32_t i = 0; rays && rays->size == sizeof *rays && i < count; ++i) {
    for (int k = 0; k < 3; ++k) rays[i].origin[k] = any_number();
    for (int k = 0; k < 3; ++k) rays[i].along[k] = any_number();
  }
  void* const hits = any_structs(sizeof(orrery_hit), count, 0);
  check(orrery_world_cast_rays(world, rays, hits, count));
  const uint32_t capacity = below(100);
  void* const events = any_structs(sizeof(orrery_event), capacity, 0);
  check(orrery_world_events(world, events, capacity));
  void* const applied = any_structs(sizeof(orrery_command), capacity, 0);
  check(orrery_world_applied(world, applied, capacity));
  free(applied);
  uint32_t count_of_values = 0;
  void* const values = any_structs(sizeof(orrery_value), capacity, 0);
  check(orrery_world_values(world, values, capacity, sometimes() ? NULL : &count_of_values));
  free(values);
  orrery_space* const space = any_structs(sizeof *space, 1, sometimes());
  if (space) {
    space->axes = below(5);
    space->units = below(3);
  }
  check(orrery_set_space(world, space));
  free(rays);
  free(hits);
  free(events);
  free(space);
}

static void save_and_restore(void) {
  orrery_world* const world = any_world();
  orrery_world* const other = below(2) ? world : any_world();
  uint64_t size = 0;
  check(orrery_world_save(world, NULL, 0, sometimes() ? NULL : &size));
  unsigned char* const image = memory((size_t)size);
  const int32_t saved = check(orrery_world_save(world, image, size, &size));
  if (saved == ORRERY_OK && below(2))
    image[below((uint32_t)size)] ^= (unsigned char)(1 + below(255));
  const uint64_t hash = hash_of(other);
  if (saved == ORRERY_OK) {
    const uint64_t given = sometimes() ? below((uint32_t)size) : size;
    must_be_unchanged(other, hash,
                      check(orrery_world_restore(other, sometimes() ? NULL : image, given)));
  }
  free(image);
}

static void flip_bit(void) {
  static const char* const fields[] = {"position.x",    "velocity.z", "angular_momentum.y",
                                       "orientation.w", "mass",       ""};
  orrery_world* const world = any_world();
  const uint64_t hash = hash_of(world);
  const uint32_t id = below(sometimes() ? 0xffffffffu : 45);
  const char* const field = sometimes() ? NULL : fields[below(6)];
  must_be_unchanged(world, hash, check(orrery_world_flip_bit(world, id, field, below(70))));
}

static void open_log(const unsigned char* bytes, size_t size) {
  const uint32_t slot = below(LOGS);
  orrery_log_destroy(logs[slot]);
  unsigned char* const copy = memory(size);
  memcpy(copy, bytes, size);
  for (uint32_t flips = sometimes() ? 3 : 0; flips > 0; --flips) copy[below((uint32_t)size)] ^= 1;
  const size_t given = below(3) ? size : below((uint32_t)size);
  char why[64];
  const void* const segments[] = {sometimes() ? NULL : copy, below(2) ? NULL : copy};
  const uint64_t sizes[] = {given, below(2) ? 0 : given};
  switch (below(4)) {
    case 0:
      check(orrery_log_from_file(sometimes() ? NULL : "/", &logs[slot], why, 64));
      break;
    case 1:
      check(orrery_log_from_segments(segments, sizes, below(3), &logs[slot], why, 64));
      break;
    default:
      check(orrery_log_from_bytes(segments[0], given, &logs[slot], why, 64));
  }
  free(copy);
}

static void use_log(void) {
  orrery_log* const log = sometimes() ? NULL : logs[below(LOGS)];
  const uint32_t capacity = below(12);
  void* const info = any_structs(sizeof(orrery_log_info), 1, 0);
  void* const record = any_structs(sizeof(orrery_record), 1, 0);
  void* const commands = any_structs(sizeof(orrery_command), capacity, 0);
  void* const found = any_structs(sizeof(orrery_verification), 1, 0);
  orrery_world* world = NULL;
  check(orrery_get_log_info(log, info));
  check(orrery_log_next(log, record, commands, capacity));
  if (sometimes()) check(orrery_log_rewind(log));
  check(orrery_log_keep(log, below(2) ? below(100000) : UINT64_MAX));
  check(orrery_log_verify(log, sometimes() ? 5000 : below(20), below(2), found,
                          below(2) ? &world : NULL));
  if (world) must_be_unchanged(world, hash_of(world), check(orrery_world_step(world, NULL, 0)));
  check(orrery_log_seek(log, sometimes() ? UINT64_MAX : below(500), below(3) ? 0 : below(50),
                        below(4) ? &world : NULL));
  check(orrery_log_prepare(log, below(40)));
  if (world) must_be_unchanged(world, hash_of(world), check(orrery_world_step(world, NULL, 0)));
  orrery_world_destroy(world);
  const uint64_t room = below(30000);
  void* const scene = memory((size_t)room);
  check(orrery_log_scene(log, scene, room));
  free(info);
  free(record);
  free(commands);
  free(found);
  free(scene);
}

static void ask_general(void) {
  orrery_versions* const versions = any_structs(sizeof *versions, 1, 0);
  char text[30];
  check(orrery_version(versions));
  check(orrery_code_text((int32_t)below(40) - 30, text, below(30)));
  check(orrery_last_error(any_world(), sometimes() ? NULL : text, below(30)));
  check(orrery_last_error(some_client(), text, below(30)));
  free(versions);
}

static unsigned char* read_file(const char* path, size_t* size) {
  FILE* const file = fopen(path, "rb");
  if (!file) broken("the log of the golden data cannot be read");
  unsigned char* const bytes = memory(1 << 22);
  *size = fread(bytes, 1, 1 << 22, file);
  fclose(file);
  return bytes;
}

int main(int argc, char** argv) {
  planted = argc > 2 && strcmp(argv[2], "--plant") == 0;
  const uint64_t seed = argc > 2 && !planted ? strtoull(argv[2], NULL, 10) : 1;
  start_arguments(seed, planted);
  const long calls = argc > 3 ? strtol(argv[3], NULL, 10) : 12000;
  if (argc < 2) broken("the first argument must be a log");
  printf("seed %" PRIu64 "\n", seed);
  size_t size = 0;
  unsigned char* const log = read_file(argv[1], &size);
  for (long i = 0; i < calls; ++i) {
    switch (below(20)) {
      case 0:
        if (below(4) == 0) make_world();
        break;
      case 1:
        if (below(4) == 0) open_log(log, size);
        break;
      case 2:
        use_log();
        break;
      case 3:
        save_and_restore();
        break;
      case 4:
        ask_general();
        break;
      case 5:
        step_worlds();
        break;
      case 6:
      case 7:
        read_worlds();
        break;
      case 8:
        describe();
        break;
      case 9:
        cast_and_list();
        break;
      case 10:
        if (below(4) == 0) make_client();
        break;
      case 11:
      case 12:
        use_client();
        break;
      case 13:
        read_client();
        break;
      case 14:
        flip_bit();
        break;
      default:
        step_world();
    }
  }
  for (int i = 0; i < WORLDS; ++i) orrery_world_destroy(worlds[i]);
  for (int i = 0; i < LOGS; ++i) orrery_log_destroy(logs[i]);
  destroy_clients();
  free(log);
  for (int code = ORRERY_MORE; code >= ORRERY_BUSY; --code) {
    char text[64];
    orrery_code_text(code, text, sizeof text);
    printf("%8" PRIu64 "  %s\n", times_returned(code), text);
    const int rare = code == ORRERY_OTHER_RULES || code == ORRERY_DIVERGED ||
                     code == ORRERY_FLOAT_MODE || code == ORRERY_NO_MEMORY ||
                     code == ORRERY_BROKEN || code == ORRERY_BUSY;
    if (times_returned(code) == 0 && !rare && argc < 4) broken("a code was never returned");
  }
  return 0;
}
