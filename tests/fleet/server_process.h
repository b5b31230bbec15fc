// A server process of a run: what a crash ends.
#pragma once

#include <utility>

#include "common/session/writer/log_writer.h"
#include "server/pacer.h"
#include "server/server.h"
#include "tests/fleet/counted_threads.h"
#include "tests/fleet/disk.h"
#include "tests/fleet/network.h"
#include "tests/fleet/setting.h"

namespace orrery::fleet {

// The parts of the simulated machine that outlive a server process.
struct ServerSurroundings {
  const Network& network;
  ServerMachine& machine;
  Disk& disk;
  CountedThreads& executor;
  server::OperatorLog& operator_log;
};

// A server with its world, log and pacer, as orreryd has them. Include this file only in
// simulation.cpp: server/pacer.h may have planted bugs there (CMakeLists.txt).
struct ServerProcess {
  // Starts a server. `start` is the first world of a new log (header.segment is 0), or the world
  // recovered from the log. REQUIRES: all parts of `around` outlive the process.
  ServerProcess(const ServerSurroundings& around, const RunOptions& options, World start,
                const codec::LogHeader& header, const net::Access& access)
      : world(std::move(start)),
        log(header.segment == 0 ? session::SessionLog(around.disk, header)
                                : session::SessionLog(around.disk, header, world)),
        server(world, log, {around.machine, around.machine, around.executor, around.operator_log},
               access, around.network.now),
        pacer(world.scene().tick_rate, around.network.now) {
    configure(server.snapshots(), options);
  }

  World world;
  session::SessionLog log;
  server::Server server;
  server::Pacer pacer;
  std::uint32_t due = 0;  // ticks of the present wake-up that were not made yet
};

}  // namespace orrery::fleet
