// Describes how a connection ended, and why a server may not have answered.
#pragma once

#include <string>

#include "client/lib/connect_failure.h"
#include "client/udp/access.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Returns "the server at ADDR:PORT ..." for a connection that ended or was never established.
// `reason` is its end, and `heard` is true if any datagram arrived.
std::string describe_end(net::EndReason reason, bool heard, const host::UdpNetwork& network,
                         const client::Access& tokens);

}  // namespace orrery::cli
