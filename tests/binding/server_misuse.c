// Tests wrong uses of the server as a library: each is an error with a reason, and the session
// continues. Its log must verify afterwards.
//
//   server_misuse LOG
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery_server.h"

enum { kTicks = 40, kFlood = 100000, kMost = 4096, kLog = 37 };  // kLog: a body of `playground`

static orrery_server* server;
static orrery_world* world;

static void fail(int line, const char* what) {
  char why[512] = "";
  orrery_last_error(server, why, sizeof why);
  fprintf(stderr, "line %d: %s (last error: %s)\n", line, what, why);
  exit(1);
}

#define CHECK(holds) \
  if (!(holds)) fail(__LINE__, #holds)

static int says(const char* text) {
  char why[512] = "";
  orrery_last_error(server, why, sizeof why);
  return strstr(why, text) != NULL;
}

static orrery_command placed(uint32_t body) {
  orrery_command command = {.size = sizeof command, .kind = ORRERY_PLACE, .subject = body};
  command.first[1] = 5;
  command.orientation[3] = 1;
  return command;
}

static orrery_server_info facts(void) {
  orrery_server_info info = {.size = sizeof info};
  CHECK(orrery_get_server_info(server, &info) == ORRERY_OK);
  return info;
}

static void refuses_unusable_options(void) {
  char why[512];
  orrery_server* none = NULL;
  const char* unknown[] = {"--scene", "playground", "--no-such-option"};
  CHECK(orrery_server_open(unknown, 3, &none, why, sizeof why) == ORRERY_BAD_ARGUMENT);
  CHECK(none == NULL && strstr(why, "--no-such-option") != NULL);
  const char* help[] = {"--help"};
  CHECK(orrery_server_open(help, 1, &none, why, sizeof why) == ORRERY_BAD_ARGUMENT && none == NULL);
  const char* null[] = {"--scene", NULL};
  CHECK(orrery_server_open(null, 2, &none, why, sizeof why) == ORRERY_BAD_ARGUMENT);
  CHECK(orrery_server_open(NULL, 2, &none, why, sizeof why) == ORRERY_BAD_ARGUMENT);
  CHECK(orrery_server_open(help, 1, NULL, why, sizeof why) == ORRERY_BAD_ARGUMENT);
  CHECK(orrery_server_wait(NULL) == ORRERY_BAD_HANDLE);
  CHECK(orrery_server_close(NULL, NULL, 0) == ORRERY_BAD_HANDLE);
  CHECK(orrery_server_abandon(NULL) == ORRERY_BAD_HANDLE);
}

static void open_once(const char* log) {
  char why[512];
  const char* options[] = {"--scene", "playground", "--listen", "127.0.0.1:0", "--log",
                           log,       "--ticks",    "40",       "--log-level", "warn"};
  CHECK(orrery_server_open(options, 10, &server, why, sizeof why) == ORRERY_OK);
  orrery_server* second = NULL;
  CHECK(orrery_server_open(options, 10, &second, why, sizeof why) == ORRERY_BUSY);
  CHECK(second == NULL && strstr(why, "open server") != NULL);
  CHECK(orrery_server_world(server, NULL) == ORRERY_BAD_ARGUMENT);
  CHECK(orrery_server_world(server, &world) == ORRERY_OK);
  CHECK(orrery_world_step(world, NULL, 0) == ORRERY_READ_ONLY);
  orrery_world_destroy(world);  // ignored
  CHECK(strstr(facts().log, log) != NULL && strncmp(facts().address, "127.0.0.1:", 10) == 0);
}

static void needs_a_tick_that_is_due(void) {
  orrery_command command = placed(kLog);
  uint32_t count;
  CHECK(orrery_server_step(server) == ORRERY_NOT_READY && says("orrery_server_wait"));
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_NOT_READY);
  CHECK(orrery_server_commands(server, NULL, 0, &count) == ORRERY_NOT_READY);
  CHECK(orrery_server_change(server, 0, NULL) == ORRERY_NOT_READY);
}

static void* call_from_elsewhere(void* argument) {
  orrery_world_info info = {.size = sizeof info};
  orrery_server_info facts_there = {.size = sizeof facts_there};
  uint32_t count;
  const int all = orrery_server_wait(server) == ORRERY_WRONG_THREAD &&
                  orrery_server_step(server) == ORRERY_WRONG_THREAD &&
                  orrery_server_commands(server, NULL, 0, &count) == ORRERY_WRONG_THREAD &&
                  orrery_get_server_info(server, &facts_there) == ORRERY_WRONG_THREAD &&
                  orrery_get_world_info(world, &info) == ORRERY_WRONG_THREAD &&
                  orrery_server_close(server, NULL, 0) == ORRERY_WRONG_THREAD &&
                  orrery_server_abandon(server) == ORRERY_WRONG_THREAD;
  return all ? argument : NULL;
}

static void refuses_other_threads(void) {
  pthread_t other;
  void* result = NULL;
  char why_not[1];
  CHECK(pthread_create(&other, NULL, call_from_elsewhere, why_not) == 0);
  CHECK(pthread_join(other, &result) == 0 && result == why_not);
}

static void refuses_nonsense(void) {
  uint64_t number = 7;
  const uint64_t refused = facts().refused;
  orrery_command command = placed(99999);
  CHECK(orrery_server_command(server, &command, &number) == ORRERY_NOT_FOUND && number == 0);
  CHECK(says("no body 99999"));
  command = placed(kLog);
  command.first[0] = NAN;
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_BAD_COMMAND && says("finite"));
  command = placed(kLog);
  command.kind = 1000;
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_BAD_COMMAND && says("kind"));
  command = (orrery_command){.size = sizeof command, .kind = ORRERY_SET_MOTOR, .subject = 1000};
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_NOT_FOUND && says("joint 1000"));
  command = (orrery_command){.size = sizeof command, .kind = ORRERY_JOIN, .subject = 9};
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_BAD_COMMAND && says("joins"));
  command.size = 4;
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_WRONG_SIZE);
  CHECK(orrery_server_command(server, NULL, NULL) == ORRERY_BAD_ARGUMENT);
  CHECK(orrery_server_change(server, 0, NULL) == ORRERY_BAD_ARGUMENT && says("0 commands"));
  CHECK(facts().refused == refused + 7 && facts().decisions == 0);
}

// Decides the same again and again: the tick takes 4,096 of them.
static void counts_a_flood(void) {
  orrery_command command = placed(kLog);
  command.client = 5000;  // ignored
  for (int i = 0; i < kFlood; ++i) {
    command.first[0] = (float)(i % 7);
    const int32_t code = orrery_server_command(server, &command, NULL);
    CHECK(code == (i < kMost ? ORRERY_OK : ORRERY_BUSY));
  }
  CHECK(says("4096") && facts().decisions == kMost);
}

// A step refuses decisions that the state does not allow: here the second removal of a body.
static void reports_refusals_of_steps(void) {
  orrery_command command = {.size = sizeof command, .kind = ORRERY_REMOVE, .subject = kLog};
  uint64_t first;
  uint32_t count;
  CHECK(orrery_server_command(server, &command, &first) == ORRERY_OK);
  CHECK(orrery_server_command(server, &command, NULL) == ORRERY_OK);
  CHECK(orrery_server_step(server) == ORRERY_OK);
  orrery_refusal refusals[4];
  for (int i = 0; i < 4; ++i) refusals[i].size = sizeof refusals[i];
  CHECK(orrery_server_refusals(server, refusals, 4, &count) == ORRERY_OK && count == 1);
  orrery_world_info info = {.size = sizeof info};
  CHECK(orrery_get_world_info(world, &info) == ORRERY_OK && info.applied == 1);
  CHECK(refusals[0].command == first + 1 && refusals[0].reason == ORRERY_REFUSED_NO_BODY &&
        refusals[0].tick == info.tick);
  CHECK(orrery_server_refusals(server, refusals, 4, &count) == ORRERY_END && count == 0);
}

int main(int argc, char** argv) {
  char why[512];
  if (argc != 2) return 2;
  refuses_unusable_options();
  open_once(argv[1]);
  needs_a_tick_that_is_due();
  for (int tick = 1; tick <= kTicks; ++tick) {
    CHECK(orrery_server_wait(server) == ORRERY_OK);
    CHECK(orrery_server_wait(server) == ORRERY_OK);  // at once: the tick is still due
    if (tick == 1) refuses_other_threads();
    if (tick == 2) refuses_nonsense();
    if (tick == 3) counts_a_flood();
    if (tick == 4) {
      reports_refusals_of_steps();
    } else {
      CHECK(orrery_server_step(server) == ORRERY_OK);
    }
    CHECK(orrery_server_step(server) == ORRERY_NOT_READY);
  }
  CHECK(orrery_server_wait(server) == ORRERY_END);
  CHECK(orrery_server_step(server) == ORRERY_NOT_READY);
  if (orrery_server_close(server, why, sizeof why) != ORRERY_OK) return fputs(why, stderr), 1;
  puts("every wrong use was refused");
  return 0;
}
