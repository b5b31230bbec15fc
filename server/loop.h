// Owns the life of the server process after start-up: timer, signals, and the end.
#pragma once

#include <cstdint>
#include <functional>

#include "common/core/result.h"
#include "common/host/disk/log_file.h"
#include "common/host/process/stop_signal.h"
#include "server/operator/journal.h"
#include "server/operator/report.h"
#include "server/server.h"

namespace orrery::server {

// Makes ticks at the scene's rate until `stop` is asked or state `ticks` (0: for ever) is reached.
// A stop waits for the tick that runs, and for no other. Calls `ready` once clients with new tokens
// are let in: at once, or with a key that earlier runs had within a second. Its error ends the
// session and is returned. SIGUSR1 writes the counters.
Status serve(Server& server, Journal& journal, Reporter& reporter, host::LogFile& log,
             const host::StopSignal& stop, std::uint64_t ticks,
             const std::function<Status()>& ready);

}  // namespace orrery::server
