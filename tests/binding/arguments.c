// Draws arguments for calls of the C interface, most of them wrong, and checks the returned codes.
#include "arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static int never_null;
static uint64_t returned[64];  // how often each code was returned, from ORRERY_MORE downwards

void start_arguments(uint64_t seed, int planted) {
  state = seed;
  never_null = planted;
}

uint32_t below(uint32_t limit) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ (z >> 31)) % limit);
}

int sometimes(void) { return below(8) == 0; }

void broken(const char* what) {
  printf("BROKEN: %s\n", what);
  exit(1);
}

int32_t check(int32_t code) {
  if (code > ORRERY_MORE || code < ORRERY_BUSY) broken("an unknown code");
  if (code == ORRERY_NO_MEMORY || code == ORRERY_BROKEN) broken("memory ran out");
  ++returned[ORRERY_MORE - code];
  return code;
}

void* memory(size_t size) {
  void* const bytes = malloc(size ? size : 1);
  if (!bytes) abort();
  return bytes;
}

// Returns a value for the field `size` of a struct of `size` bytes, mostly the right one.
static uint32_t any_size(uint32_t size) {
  static const uint32_t wrong[] = {0, 1, 4, 8, 4096, 4097, 0xffffffffu};
  if (!sometimes()) return size;
  return below(2) ? wrong[below(7)] : size - 8 * below(2) + 8 * below(3);
}

void* any_structs(uint32_t size, uint32_t count, int is_input) {
  const uint32_t claimed = any_size(size);
  const uint32_t held = claimed > size && claimed <= 4096 ? claimed : size;
  char* const bytes = memory((size_t)held * (count ? count : 1));
  if (sometimes() && !never_null) {
    free(bytes);
    return NULL;
  }
  memset(bytes, 0, (size_t)held * (count ? count : 1));
  for (uint32_t i = 0; i < count || i == 0; ++i) {
    uint32_t own = sometimes() && sometimes() ? any_size(size) : claimed;
    if (own > held && own <= 4096) own = claimed;
    memcpy(bytes + (size_t)held * i, &own, sizeof own);
    for (uint32_t k = 4; is_input && k < held; ++k) {
      if (sometimes() && sometimes()) bytes[(size_t)held * i + k] = (char)below(256);
    }
  }
  return bytes;
}

float any_number(void) {
  static const float odd[] = {0, -0.0f, 1e-38f, 1e12f, 3e38f, -1e24f, INFINITY, NAN};
  return sometimes() ? odd[below(8)] : (float)below(200) / 10 - 10;
}

orrery_command* any_commands(uint32_t count) {
  orrery_command* const commands = any_structs(sizeof *commands, count, sometimes());
  for (uint32_t i = 0; commands && commands->size == sizeof *commands && i < count; ++i) {
    orrery_command* const c = &commands[i];
    c->kind = sometimes() ? (int32_t)below(1000) - 500 : i == 0 ? ORRERY_JOIN : (int32_t)below(25);
    c->client = i == 0 ? 0 : 1 + (sometimes() ? below(2000) : 0);
    c->sequence = i;
    c->subject = i == 0 ? 1 : below(sometimes() ? 0xffffffffu : 50);
    c->role = sometimes() ? (int32_t)below(9) - 4 : ORRERY_ADMIN;
    for (int k = 0; k < 3; ++k) c->first[k] = any_number();
    for (int k = 0; k < 3; ++k) c->second[k] = any_number();
    for (int k = 0; k < 3; ++k) c->third[k] = any_number();
    for (int k = 0; k < 4; ++k) c->orientation[k] = sometimes() ? any_number() : k == 3;
    c->ticks = below(sometimes() ? 0xffffffffu : 9);
    c->key_size = (uint16_t)below(sometimes() ? 0x10000 : 4);
    c->bytes_size = (uint16_t)below(sometimes() ? 0x10000 : 9);
    for (int k = 0; k < 4; ++k) c->key[k] = (uint8_t)below(3);
    c->category = 1 + below(3);
    c->mask = below(sometimes() ? 0xffffffffu : 4);
  }
  return commands;
}

uint64_t times_returned(int32_t code) { return returned[ORRERY_MORE - code]; }
