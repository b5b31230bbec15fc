// Prints the lines of `orrery watch --follow`.
#pragma once

#include <cstdint>

#include "client/lib/connection.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Prints one line per second. Ends with the connection, after `seconds` if that is not 0, when the
// user stops it, or after a mismatch or an error of the follower.
void follow_until_end(client::Connection& connection, const client::Follower& follower,
                      host::UdpNetwork& network, std::uint32_t seconds);

}  // namespace orrery::cli
