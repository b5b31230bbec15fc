// Waits for the ticks of a running session: timer, signals, web side, and the work after ticks.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "common/host/disk/log_file.h"
#include "common/host/process/stop_signal.h"
#include "server/operator/operator_log.h"
#include "server/operator/report.h"
#include "server/pacer.h"
#include "server/run/tick_commands.h"
#include "server/server.h"
#include "server/web/web_side.h"

namespace orrery::server {

// The reason why wait() returns.
enum class Due : std::uint8_t {
  tick,   // a tick is due: its commands are closed, and step() makes it
  ready,  // clients with new tokens can connect from now on. Comes once
  end     // a stop was asked for, or the last tick is made
};

// The objects that a Loop runs. All of them outlive it.
struct Running {
  Server& server;
  TickCommands& commands;
  OperatorLog& operator_log;
  Reporter& reporter;
  host::LogFile& log;
  web::WebSide& web;
  const host::StopSignal& stop;
};

// The ticks of a session at the scene's rate, until a stop is asked for or the world reaches tick
// `ticks` (0: no limit). The web side runs in the same event loop, and SIGUSR1 logs the counters.
class Loop {
 public:
  Loop(const Running& running, std::uint64_t ticks);

  // Waits until something is due. A stop waits for at most one tick.
  //
  // Clients with new tokens can connect at once, or within a second if an earlier run may have used
  // the same key: the server then accepts only tokens that are made after the current second.
  // REQUIRES: step() was called if the last result was Due::tick.
  Due wait();

  // Makes the tick: steps, logs, sends. REQUIRES: wait() has returned Due::tick since the last
  // call.
  void step();

  // Says goodbye to all clients and logs the counters. REQUIRES: no other call follows.
  void stop();

  // Returns by how many ticks the session is later than the clock.
  std::uint64_t slowed() const { return pacer_.slowed(); }

 private:
  bool becomes_ready();
  bool ended() const;
  void sleep();
  void wake_up();
  void end_ticks();

  const Running running_;
  const std::uint64_t ticks_;
  Pacer pacer_;
  // Keeps the event loop from ending between two waits for the timer.
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  host::ReportSignal report_;
  bool ready_ = false;
  bool awake_ = false;          // the timer has called wake_up(), and end_ticks() has not followed
  net::Nanoseconds woken_ = 0;  // when it was called last
  std::uint32_t due_ = 0;       // ticks that are still to be made before end_ticks()
};

}  // namespace orrery::server
