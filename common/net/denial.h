// Decides the meaning of a denial for the client that receives it.
#pragma once

#include "common/net/client_endpoint.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

// Returns the reason with which a connection ends if this refusal ends it.
EndReason reason_of(Refusal refusal);

// Returns true if a denial ends the attempt to connect to this server.
bool ends_attempt(Refusal refusal, ClientState state);

}  // namespace orrery::net
