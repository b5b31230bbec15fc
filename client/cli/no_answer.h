// Describes how a connection ended, and why a server may not have answered.
#pragma once

#include <string>

#include "client/lib/connect_failure.h"
#include "client/udp/udp_client.h"

namespace orrery::cli {

// Returns a sentence, "the server at ADDR:PORT ...", that says why `attempt` made no connection.
// REQUIRES: the attempt has not led to a connection.
std::string describe_end(client::ConnectAttempt attempt, const client::ClientSockets& sockets,
                         const client::Access& access);

// Returns the sentence of the function above for a client that never connected. For a client that
// has lost its connection, returns the reason of the loss.
std::string describe_end(const client::UdpClient& client, const client::Access& access);

}  // namespace orrery::cli
