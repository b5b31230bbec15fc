// Prints the lines of `orrery watch --follow`.
#pragma once

#include <cstdint>

#include "client/udp/udp_client.h"

namespace orrery::cli {

// Prints one line per second with the ticks compared so far (once there is a world), the data rate,
// the round trip and the loss. Returns when the connection ends, when
// the user stops it, or after a mismatch. If `seconds` is not 0, it also returns after that time.
void print_comparisons(client::UdpClient& client, std::uint32_t seconds);

// Prints the final comparison, unless there was a mismatch. After a mismatch, waits for at most two
// seconds until the server has received the report of it.
void conclude_following(client::UdpClient& client);

}  // namespace orrery::cli
