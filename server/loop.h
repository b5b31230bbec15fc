// Owns the life of the server process after start-up: timer, signals, and the end.
#pragma once

#include <cstdint>
#include <functional>

#include "common/core/result.h"
#include "common/host/log_file.h"
#include "common/host/udp.h"
#include "server/journal.h"
#include "server/server.h"

namespace orrery {

// Calls `ready` once signals are caught, and returns its error before the first tick. Then makes
// ticks at the scene's rate until SIGINT, SIGTERM, or state `ticks` (0: for ever). SIGUSR1 writes
// the counters.
Status serve(Server& server, Journal& journal, UdpNetwork& network, LogFile& log,
             std::uint64_t ticks, const std::function<Status()>& ready);

}  // namespace orrery
