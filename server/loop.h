// Runs the server process after start-up: timer, signals, and the end.
#pragma once

#include <cstdint>
#include <functional>

#include "common/core/result.h"
#include "common/host/disk/log_file.h"
#include "common/host/process/stop_signal.h"
#include "server/operator/operator_log.h"
#include "server/operator/report.h"
#include "server/server.h"
#include "server/web/web_side.h"

namespace orrery::server {

// Runs ticks at the scene's rate until `stop` is asked or the world reaches tick `ticks` (0: no
// limit). A stop waits for at most one tick. The web side runs in the same event loop, and SIGUSR1
// logs the counters.
//
// Calls `ready` once, when clients with new tokens can connect. This is at once, or within a second
// if an earlier run may have used the same key: the server then accepts only tokens that are made
// after the current second. An error of `ready` ends the session and is returned.
Status serve(Server& server, OperatorLog& operator_log, Reporter& reporter, host::LogFile& log,
             web::WebSide& web, const host::StopSignal& stop, std::uint64_t ticks,
             const std::function<Status()>& ready);

}  // namespace orrery::server
