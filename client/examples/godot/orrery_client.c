// The Godot 4 node OrreryClient: connects to a server and moves its child nodes as the bodies move.
#include "orrery_client.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(node* self, const char* why) {
  godot.print_error(why, "OrreryClient", __FILE__, __LINE__, 1);
  orrery_client_destroy(self->client);
  self->client = NULL;
  self->failed = 1;
}

// Connects to the server that the metadata "server" of the node names.
static void open_client(node* self, godot_variant* variant) {
  char server[256], why[512];
  godot_variant value = godot_call_text(variant, "get_meta", "server");
  godot_text(&value, server, sizeof server);
  godot.variant_destroy(&value);
  const int32_t code = orrery_client_open(server, NULL, NULL, &self->client, why, sizeof why);
  if (code != ORRERY_OK) fail(self, why);
}

// Moves the child node whose name is the id of a body.
static void move_child(godot_variant* parent, uint32_t id, float* row) {
  char name[16];
  godot_object object;
  snprintf(name, sizeof name, "%u", (unsigned)id);
  godot_variant child = godot_call_text(parent, "get_node_or_null", name);
  godot.get_variant_to_type_constructor(GODOT_OBJECT)(&object, &child);
  if (object != NULL) {
    godot_variant nothing = godot_call(&child, "set_position", GODOT_VECTOR3, row);
    godot.variant_destroy(&nothing);
    nothing = godot_call(&child, "set_quaternion", GODOT_QUATERNION, row + 3);
    godot.variant_destroy(&nothing);
  }
  godot.variant_destroy(&child);
}

node* node_create(godot_object object) {
  node* const self = calloc(1, sizeof *self);
  if (self == NULL) abort();
  self->object = object;
  for (int i = 0; i < kBodiesMax; ++i) self->bodies[i].size = sizeof self->bodies[i];
  return self;
}

void node_destroy(node* self) {
  orrery_client_destroy(self->client);
  free(self);
}

void node_process(node* self) {
  const uint32_t what = ORRERY_POSITION | ORRERY_ORIENTATION;
  orrery_client_info info = {.size = sizeof info};
  orrery_frame frame = {.size = sizeof frame};
  godot_variant variant;
  if (self->failed) return;
  godot.get_variant_from_type_constructor(GODOT_OBJECT)(&variant, &self->object);
  if (self->client == NULL) open_client(self, &variant);
  orrery_client_update(self->client, 0, 0);
  orrery_client_frame(self->client, 0, ORRERY_INTERPOLATE, &frame);
  orrery_client_bodies(self->client, self->bodies, kBodiesMax);
  if (orrery_client_read(self->client, what, self->rows, sizeof self->rows[0], kBodiesMax) !=
      ORRERY_OK)
    frame.bodies = 0;
  for (uint32_t i = 0; i < frame.bodies; ++i) {
    move_child(&variant, self->bodies[i].id, self->rows[i]);
  }
  godot.variant_destroy(&variant);
  orrery_get_client_info(self->client, &info);
  if (info.phase == ORRERY_ENDED) fail(self, info.problem);
}

void node_push(node* self, int64_t body, const float* impulse) {
  const orrery_command command = {.size = sizeof command,
                                  .kind = ORRERY_IMPULSE,
                                  .subject = (uint32_t)body,
                                  .first = {impulse[0], impulse[1], impulse[2]}};
  orrery_client_command(self->client, &command, 0);
}
