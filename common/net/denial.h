// Decides the meaning of a denial for the client that receives it.
#pragma once

#include "common/net/client_endpoint.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

// Returns true if a denial ends the attempt to connect to this server.
bool ends_attempt(EndReason refusal, ClientState state);

}  // namespace orrery::net
