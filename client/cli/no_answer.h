// Describes how a connection ended, and why a server may not have answered.
#pragma once

#include <string>

#include "client/lib/connection.h"
#include "client/udp/udp_client.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Returns "the server at ADDR:PORT ..." for a connection that ended or was never established.
std::string describe_end(const client::Connection& connection, const host::UdpNetwork& network,
                         const client::Access& tokens);

// Returns the same for a client that is not connected.
std::string describe_end(const client::UdpClient& client, const client::Access& access);

}  // namespace orrery::cli
