// The node OrreryClient of Godot 4: a client of a server that moves its child nodes.
#ifndef ORRERY_CLIENT_H
#define ORRERY_CLIENT_H

#include "godot.h"
#include "orrery.h"

enum { kBodiesMax = 4096 };

typedef struct node {
  godot_object object;
  orrery_client* client;  // null before the first frame and after a failure
  int failed;             // 1: the server cannot be used, or the connection ended
  orrery_shown_body bodies[kBodiesMax];
  float rows[kBodiesMax][7];  // a Vector3 and a Quaternion for each body
} node;

// Makes the state of a node.
node* node_create(godot_object object);
// Ends the connection, and frees the state.
void node_destroy(node* self);
// Moves the child nodes to their places at this moment. The name of a child is the id of its body.
// The first call connects to the server that the metadata "server" of the node names. Does nothing
// after a failure.
void node_process(node* self);
// Changes the momentum of a body.
void node_push(node* self, int64_t body, const float* impulse);

#endif
