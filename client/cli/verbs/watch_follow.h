// Owns the lines of `orrery watch --follow`.
#pragma once

#include <cstdint>

#include "client/lib/connection.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Until the connection, or the time if it is not 0, ends, somebody asks, or the follower has found
// what it cannot go on with.
void follow_until_end(client::Connection& connection, const client::Follower& follower,
                      host::UdpNetwork& network, std::uint32_t seconds);

}  // namespace orrery::cli
