// Describes how a connection ended, and why a server may not have answered.
#pragma once

#include <string>

#include "client/lib/connect_failure.h"
#include "client/udp/udp_client.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Returns "the server at ADDR:PORT ..." for a client that was never connected, and its attempt.
std::string describe_end(client::ConnectAttempt attempt, const host::UdpNetwork& network,
                         const client::Access& access);

// Returns the same for a client that is not connected, perhaps no longer.
std::string describe_end(const client::UdpClient& client, const client::Access& access);

}  // namespace orrery::cli
