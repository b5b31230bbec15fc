// Arena: four cars race, collect coins and count their laps.
//
//   cc -std=c99 arena.c $(pkg-config --cflags --libs orrery-server) -lm -o arena
//   ./arena --scene arena.json [OPTION OF ORRERYD]...
//
// A client that joins gets a car. It drives the motors and the steering of the car, or sends the
// messages "drive SPEED", "steer ANGLE" and "reset".
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery_server.h"

// The ids of arena.json. A car has a chassis, an axle and four wheels. Its first joints are the
// steering, the left and the right motor. Coins are in the slots after the cars.
enum { kLines = 4, kCoin = 5, kFirst = 6, kBodies = 6, kJoints = 5, kCars = 4, kCoinsMax = 6 };
enum { kCoins = kFirst + kBodies * kCars, kCommands = 8192, kEvents = 65536 };
static const float kSpeed = 32, kTorque = 200, kAngle = 0.45f;  // rad/s, Nm, rad
static const char* const kNames[kCars] = {"red", "blue", "green", "yellow"};

static orrery_server* server;
static orrery_world* world;
static orrery_world_info info = {.size = sizeof info};
static orrery_event events[kEvents];
static orrery_command commands[kCommands];
typedef struct {
  uint32_t client, lines, laps, points;  // lines: that it crossed
  uint64_t begin, best;                  // ticks: when the lap began, and of the best lap
} car_state;
static car_state cars[kCars];
static uint32_t coins, taken;  // coins that lie there, and the id of the newest that was taken

static void decide(int32_t kind, uint32_t subject, float x, float y, float z) {
  const orrery_command command = {sizeof command, kind, .subject = subject, .first = {x, y, z},
                                  .orientation = {0, 0, 0, kind == ORRERY_PLACE}};
  orrery_server_command(server, &command, NULL);
}

// Decides a value or a notice.
static void say(int32_t kind, uint32_t client, const char* key, const char* format, ...) {
  orrery_command c = {sizeof c, kind, .subject = client, .key_size = (uint16_t)strlen(key)};
  va_list list;
  va_start(list, format);
  c.bytes_size = (uint16_t)vsnprintf((char*)c.bytes, sizeof c.bytes, format, list);
  va_end(list);
  memcpy(c.key, key, c.key_size);
  orrery_server_command(server, &c, NULL);
}

static void drive(uint32_t car, float speed) {
  decide(ORRERY_SET_MOTOR, kJoints * car + 1, speed, kTorque, 0);
  decide(ORRERY_SET_MOTOR, kJoints * car + 2, speed, kTorque, 0);
}

static void steer(uint32_t car, float angle) {
  decide(ORRERY_SET_TARGET, kJoints * car, fmaxf(-kAngle, fminf(angle, kAngle)), 4, 1);
}

// Puts a car on the grid, or on the island if nobody drives it.
static void reset(uint32_t car) {
  static const float kAt[kBodies][3] = {{0, 0.5f, 0},          {0.65f, 0.35f, 0},
                                        {-0.65f, 0.35f, -0.62f}, {-0.65f, 0.35f, 0.62f},
                                        {0.65f, 0.35f, -0.62f},  {0.65f, 0.35f, 0.62f}};
  const int races = cars[car].client != 0;
  const float x = races ? -3 : 4, y = races ? 0 : 0.8f, z = (races ? 7 : -3) + 2 * (float)car;
  for (uint32_t i = 0; i < kBodies; ++i) {
    decide(ORRERY_PLACE, kFirst + kBodies * car + i, x + kAt[i][0], y + kAt[i][1], z + kAt[i][2]);
  }
  cars[car].lines = 0;
  drive(car, 0);
  steer(car, 0);
}

// Sets the values of the leaderboard, if they changed.
static void show_leaders(void) {
  for (uint32_t car = 0; car < kCars; ++car) {
    char key[] = "hud/1";  // and its rank
    for (uint32_t i = 0; i < kCars; ++i)
      if (cars[i].points + (i < car) > cars[car].points) ++key[4];
    say(ORRERY_SET_VALUE, 0, key, "%s: %u points, %u laps, best lap %.2f s", kNames[car],
        cars[car].points, cars[car].laps, (double)cars[car].best * info.tick_time);
  }
}

// Gives a car to a client that joined, or takes it from one that left.
static void join_or_leave(const orrery_command* c, int joins) {
  for (uint32_t car = 0; car < kCars; ++car) {
    if (cars[car].client != (joins ? 0 : c->subject)) continue;
    cars[car] = (car_state){.client = joins ? c->subject : 0};
    orrery_command own = {sizeof own, ORRERY_SET_CONTROL, .control = ORRERY_OWNER};
    own.subject = kFirst + kBodies * car;
    own.account = !joins || c->account ? c->account : c->subject;
    orrery_server_command(server, &own, NULL);
    reset(car);
    if (joins) say(ORRERY_TELL, c->subject, "", "You are %s, car %u.", kNames[car], car);
    return;
  }
}

static void hear(const orrery_command* message) {
  float number;
  char text[sizeof message->bytes + 1] = "";
  memcpy(text, message->bytes, message->bytes_size);
  for (uint32_t car = 0; car < kCars; ++car) {
    if (cars[car].client != message->client) continue;
    if (sscanf(text, "drive %f", &number) == 1) drive(car, fmaxf(-9, fminf(number, kSpeed)));
    if (sscanf(text, "steer %f", &number) == 1) steer(car, number);
    if (!strcmp(text, "reset")) reset(car);
  }
}

// A car took a coin, or crosses a line.
static void touch(uint32_t car, uint32_t other) {
  if (other >= kCoins && other != taken) {  // several wheels touch it
    decide(ORRERY_REMOVE, taken = other, 0, 0, 0);
    --coins;
    ++cars[car].points;
  }
  if (other != cars[car].lines % kLines + 1) return;
  const uint64_t took = info.tick - cars[car].begin;
  if (other == 1) cars[car].begin = info.tick;
  if (++cars[car].lines % kLines != 1 || cars[car].lines == 1) return;
  if (cars[car].best == 0 || took < cars[car].best) cars[car].best = took;
  cars[car].points += 5;
  ++cars[car].laps;
  say(ORRERY_TELL, 0, "", "%s: %.2f s", kNames[car], (double)took * info.tick_time);
}

// Drops or changes commands: players drive motors up to the power of a car, and push nothing.
static void check_commands(void) {
  uint32_t count = 0;
  orrery_server_commands(server, commands, kCommands, &count);
  for (uint32_t i = 0; i < count; ++i) {
    orrery_command c = commands[i];
    if (c.client == 0 || c.kind == ORRERY_MESSAGE) continue;
    if (c.kind == ORRERY_SET_TARGET && c.subject % kJoints == 0) continue;
    c.first[0] = fmaxf(-kSpeed, fminf(c.first[0], kSpeed));
    c.first[1] = fminf(c.first[1], kTorque);
    orrery_server_change(server, i, c.kind == ORRERY_SET_MOTOR ? &c : NULL);
  }
}

static void tick(void) {
  orrery_get_world_info(world, &info);
  orrery_world_applied(world, commands, kCommands);
  orrery_world_events(world, events, kEvents);
  for (uint32_t i = 0; i < info.applied; ++i) {
    const orrery_command* c = &commands[i];
    if (c->kind == ORRERY_JOIN && c->role == ORRERY_PLAY) join_or_leave(c, 1);
    if (c->kind == ORRERY_LEAVE) join_or_leave(c, 0);
    if (c->kind == ORRERY_MESSAGE) hear(c);
  }
  for (uint32_t i = 0; i < info.events; ++i) {
    const uint32_t a = events[i].a, b = events[i].b;  // the lower slot first
    if (events[i].kind != ORRERY_SENSOR_BEGIN) continue;
    if (a >= kFirst && a < kCoins) touch((a - kFirst) / kBodies, b);
    if (b >= kFirst && b < kCoins) touch((b - kFirst) / kBodies, a);
  }
  if (info.tick % info.tick_rate == 0) {
    const float x = (float)(rand() % 40 - 20), z = (float)(rand() % 8 + 6);  // not on the island
    if (coins < kCoinsMax) decide(ORRERY_SPAWN, kCoin, x, 0.7f, coins % 2 ? z : -z);
    coins += coins < kCoinsMax;
    show_leaders();
  }
  check_commands();
}

int main(int argc, char** argv) {
  char why[512];
  const char* const* words = (const char* const*)argv + 1;
  if (orrery_server_open(words, (uint32_t)argc - 1, &server, why, sizeof why)) return puts(why), 2;
  orrery_server_world(server, &world);
  for (int i = 0; i < kCommands; ++i) commands[i].size = sizeof *commands;
  for (int i = 0; i < kEvents; ++i) events[i].size = sizeof *events;
  for (; orrery_server_wait(server) == ORRERY_OK; orrery_server_step(server)) tick();
  return orrery_server_close(server, why, sizeof why) ? puts(why), 1 : 0;
}
