// Checks that the clients of the server and of its world are the same.
#pragma once

#include <optional>

#include "server/server.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// Checks that server and world have the same joined clients, and that thrusts, bodies and followers
// belong to joined clients. Call it after each tick.
std::optional<Violation> check_slots(const server::Server& server, const World& world);

// Checks that server and world keep no client. Call it when all clients are gone.
std::optional<Violation> check_slots_came_back(const server::Server& server, const World& world);

}  // namespace orrery::fleet
