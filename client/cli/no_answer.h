// Describes how a connection ended, and why a server may not have answered.
#pragma once

#include <string>

#include "client/lib/connect_failure.h"
#include "client/udp/udp_client.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Returns a sentence, "the server at ADDR:PORT ...", about why `attempt` made no connection.
// REQUIRES: the client has never been connected.
std::string describe_end(client::ConnectAttempt attempt, const host::UdpNetwork& network,
                         const client::Access& access);

// Returns the same for a client that never connected. For a client that has lost its connection,
// returns the reason of the loss.
std::string describe_end(const client::UdpClient& client, const client::Access& access);

}  // namespace orrery::cli
