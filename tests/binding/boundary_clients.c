// Calls the functions of clients with random arguments, most of them wrong.
#include "boundary_clients.h"

#include <stdlib.h>
#include <string.h>

#include "arguments.h"

#define CLIENTS 4

static orrery_client* clients[CLIENTS];

orrery_client* some_client(void) { return clients[below(CLIENTS)]; }

void destroy_clients(void) {
  for (int i = 0; i < CLIENTS; ++i) orrery_client_destroy(clients[i]);
}

// Writes a connect token (netcode 1.02, 3) for a server on this machine where nobody listens.
static void write_token(unsigned char* to) {
  static const unsigned char address[] = {1, 0, 0, 0, 1, 127, 0, 0, 1, 9, 0};
  memset(to, 0, 2048);
  memcpy(to, "NETCODE 1.02", 13);
  const uint64_t now = sometimes() ? below(1000) : 4000000000u;
  for (int i = 0; i < 8; ++i) to[21 + i] = (unsigned char)(now >> (8 * i));
  const uint64_t expires = now + below(90);
  for (int i = 0; i < 8; ++i) to[29 + i] = (unsigned char)(expires >> (8 * i));
  for (int i = 0; i < 24 + 1024; ++i) to[37 + i] = (unsigned char)below(256);
  to[1085] = 5;
  memcpy(to + 1089, address, sizeof address);
  if (sometimes()) to[below(2048)] ^= (unsigned char)(1 << below(8));
}

void make_client(void) {
  char why[40];
  const uint32_t slot = below(CLIENTS);
  orrery_client** const place = sometimes() ? NULL : &clients[slot];
  if (place) orrery_client_destroy(*place);
  orrery_client_options* const options = any_structs(sizeof *options, 1, 0);
  if (options && options->size == sizeof *options) {
    options->follow = below(2);
    options->events = below(2);
    options->reconnect = any_number();
    options->command_min = sometimes() ? any_number() : 0;
    options->command_max = sometimes() ? any_number() : 0;
  }
  // Nobody has made a key for these, so opening fails.
  static const char* const servers[] = {"", "127.0.0.1:9", "[::1]:9", "nonsense",
                                        "127.0.0.1:70000"};
  check(below(4)
            ? orrery_client_create(options, place, why, below(40))
            : orrery_client_open(sometimes() ? NULL : servers[below(5)],
                                 below(2) ? "/dev/null" : NULL, options, place, why, below(40)));
  free(options);
}

void use_client(void) {
  orrery_client* const client = sometimes() ? NULL : some_client();
  static uint64_t now = 1;
  now = sometimes() ? below(0xffffffffu) : now + below(100000000);
  unsigned char token[2048];
  write_token(token);
  if (below(4) == 0) {
    check(orrery_client_connect(client, sometimes() ? NULL : token,
                                sometimes() ? below(2048) : 2048, now));
  }
  orrery_address* const address = any_structs(sizeof *address, 1, 0);
  if (address && address->size == sizeof *address) {
    static const unsigned char loopback[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
    memcpy(address->ip, loopback, sizeof loopback);
    address->port = 9;
  }
  const uint32_t size = below(1400);
  unsigned char* const datagram = memory(size);
  for (uint32_t i = 0; i < size; ++i) datagram[i] = (unsigned char)below(i == 0 ? 8 : 256);
  check(orrery_client_receive(client, address, sometimes() ? NULL : datagram, size, now));
  check(orrery_client_update(client, now, 0));
  uint32_t sent = 0;
  unsigned char* const out = memory(1232);
  while (check(orrery_client_poll_send(client, address, sometimes() ? NULL : out,
                                       sometimes() ? below(1232) : 1232, &sent)) == ORRERY_OK) {
    if (sent == 0 || sent > 1232) broken("a datagram of the wrong size");
  }
  free(out);
  free(datagram);
  free(address);
  orrery_command* const command = any_commands(1);
  check(orrery_client_command(client, command, now));
  free(command);
  orrery_ray* const ray = any_structs(sizeof *ray, 1, sometimes());
  for (int k = 0; k < 3 && ray && ray->size == sizeof *ray; ++k) {
    ray->origin[k] = any_number();
    ray->along[k] = any_number();
  }
  uint32_t number = 0;
  check(orrery_client_cast_ray(client, ray, now, sometimes() ? NULL : &number));
  free(ray);
  if (sometimes() && sometimes()) check(orrery_client_disconnect(client, now));
}

void read_client(void) {
  orrery_client* const client = sometimes() ? NULL : some_client();
  void* const info = any_structs(sizeof(orrery_client_info), 1, 0);
  void* const stats = any_structs(sizeof(orrery_client_stats), 1, 0);
  void* const frame = any_structs(sizeof(orrery_frame), 1, 0);
  check(orrery_get_client_info(client, info));
  check(orrery_get_client_stats(client, stats));
  check(orrery_client_frame(client, below(0xffffffffu), (int32_t)below(6) - 1, frame));
  const uint32_t capacity = below(4);
  float* const rows = memory(capacity * 7 * sizeof *rows);
  check(orrery_client_read(client, sometimes() ? below(1024) : 3, sometimes() ? NULL : rows,
                           sometimes() ? below(30) : 28, capacity));
  void* const bodies = any_structs(sizeof(orrery_shown_body), capacity, 0);
  check(orrery_client_bodies(client, bodies, capacity));
  orrery_world* world = NULL;
  check(orrery_client_scene(client, sometimes() ? NULL : &world));
  check(orrery_client_world(client, sometimes() ? NULL : &world));
  uint32_t count = 0;
  uint64_t tick = 0;
  void* const events = any_structs(sizeof(orrery_event), capacity, 0);
  check(orrery_client_events(client, events, capacity, sometimes() ? NULL : &count,
                             sometimes() ? NULL : &tick));
  void* const refusals = any_structs(sizeof(orrery_refusal), capacity, 0);
  check(orrery_client_refusals(client, refusals, capacity, sometimes() ? NULL : &count));
  void* const values = any_structs(sizeof(orrery_value), capacity, 0);
  check(orrery_client_values(client, values, capacity, sometimes() ? NULL : &count));
  void* const notices = any_structs(sizeof(orrery_notice), capacity, 0);
  check(orrery_client_notices(client, notices, capacity, sometimes() ? NULL : &count));
  void* const hit = any_structs(sizeof(orrery_hit), 1, 0);
  check(orrery_client_hit(client, hit, sometimes() ? NULL : &count, sometimes() ? NULL : &tick));
  char report[40];
  check(orrery_client_save_flight(client, sometimes() ? NULL : "/dev/null/flight",
                                  sometimes() ? NULL : report, below(40)));
  free(refusals);
  free(values);
  free(notices);
  free(hit);
  free(info);
  free(stats);
  free(frame);
  free(rows);
  free(bodies);
  free(events);
}
