// Calls the functions of clients with random arguments, most of them wrong.
#ifndef ORRERY_TESTS_BOUNDARY_CLIENTS_H
#define ORRERY_TESTS_BOUNDARY_CLIENTS_H

#include "orrery.h"

// Returns one of the clients, or null for one that does not exist.
orrery_client* some_client(void);
// Replaces one of the clients.
void make_client(void);
// Passes a client datagrams, jumping times and commands, and polls the datagrams that it sends.
void use_client(void);
// Reads everything that a client has.
void read_client(void);
void destroy_clients(void);

#endif
