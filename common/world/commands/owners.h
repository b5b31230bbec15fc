// Decides which client owns a body, by account, or by client id without one, and may command it.
#pragma once

#include <bitset>
#include <cstdint>

#include "common/core/limits.h"
#include "common/world/mutable_world.h"
#include "common/world/verdict.h"

namespace orrery {

// Clients without an account that left in a tick and may still own bodies.
struct LeftClients {
  std::bitset<limits::kClientsMax + 1> ids;
  bool any = false;
};

// Returns why the client may not command the body, or `applied` if it may.
Verdict right_to_command(const World& world, const Client& client, BodyId body);

// Ends the grab of a client.
void release(Client& client);

// Ends the thrusts and grabs of a body by clients that may not command it any more.
void end_holds(MutableWorld& world, BodyId body);

// Returns true if the client owns as many spawned bodies as the scene allows.
bool has_spawned_enough(const World& world, const Client& client);

// Gives the bodies of the clients that left back to the owners that the scene names, and empties
// `left`. A later client with the same id must not inherit the bodies. One pass over the bodies
// serves all clients, because a thousand may leave in one tick.
void return_bodies(MutableWorld& world, LeftClients& left);

// Gives the spawned bodies of an account back to the owners that the scene names. Returns true if
// this changed an owner.
bool disown(MutableWorld& world, std::uint64_t account);

}  // namespace orrery
