// Prints the lines of `orrery watch --follow`.
#pragma once

#include <cstdint>

#include "client/lib/connection.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// Prints one line per second with the ticks compared so far. Returns when the connection ends, when
// the user stops it, or after a mismatch or an error of the follower. If `seconds` is not 0, it
// also returns after that time.
void print_comparisons(client::Connection& connection, const client::Follower& follower,
                       host::UdpNetwork& network, std::uint32_t seconds);

// Prints the last comparison, and delivers the report of a mismatch to the server. REQUIRES: the
// caller disconnects afterwards.
void conclude_following(client::Connection& connection, const client::Follower& follower,
                        host::UdpNetwork& network);

}  // namespace orrery::cli
