// One session of a server, from its options to the end of its log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/core/result.h"
#include "common/host/process/stop_signal.h"
#include "common/net/packet/address.h"
#include "common/world/world.h"
#include "server/operator/operator_stream.h"
#include "server/options.h"
#include "server/run/loop.h"
#include "server/run/tick_commands.h"

namespace orrery::server {

// An open session. orreryd is this loop:
//
//   for (Due due = session.wait(); due != Due::end; due = session.wait()) {
//     if (due == Due::tick) session.step();
//   }
//   session.close();
//
// Rules of a program run between wait() and step(): they read world(), and change commands(). Their
// decisions are logged as commands, so a replay needs no rules.
class Session {
 public:
  // Opens the log, the sockets and the other files that the options name, and sets `stop` to the
  // handler of stop signals. A SIGINT or SIGTERM more than 0.2 s after the first stop signal ends
  // the process at once. Ignores the signals that would kill the server. `decisions_max`: see
  // TickCommands. An Error is one line.
  // REQUIRES: the process has no other session; decisions_max <= kReserveMax; `operator_stream` and
  // `stop` outlive the session. To keep a repeated signal harmless, reset `stop` as late as
  // possible.
  static Result<std::unique_ptr<Session>> open(const Options& options,
                                               const OperatorStream& operator_stream,
                                               std::optional<host::StopSignal>& stop,
                                               std::size_t decisions_max = 0);
  ~Session();

  // Return the addresses of the session, and the path of its log.
  const net::Address& address() const;
  std::optional<net::Address> web() const;
  const std::string& log_path() const;
  // Returns the path of the key file of this run; empty with --key-file.
  std::string key_path() const;

  // Waits until something is due. REQUIRES: !is_due().
  Due wait();
  // Makes the tick that is due. REQUIRES: is_due().
  void step();
  // Returns true from a result Due::tick of wait() until step().
  bool is_due() const { return is_due_; }

  // Returns the state after the last tick.
  const World& world() const;
  // Returns the commands of the tick that is due, and takes decisions. REQUIRES: is_due().
  TickCommands& commands();
  // Returns the server, for its counters and refused commands.
  const Server& server() const;
  // Returns by how many ticks the session is later than the clock.
  std::uint64_t slowed() const;

  // Returns which decision of the last tick has this sequence number (TickCommands::decision()).
  std::optional<std::uint64_t> decision(Sequence sequence) const;

  // The end of a session. `why` is one line, and empty if nothing went wrong.
  struct End {
    bool is_durable = true;  // the disk has all ticks
    bool agreed = true;      // the shadow found no difference
    std::string why;
  };
  // Says goodbye to all clients, and ends the log. REQUIRES: called once; only the readers of
  // addresses and log path follow.
  End close();
  // Removes a log that nobody wants. Called instead of close().
  void discard();

 private:
  struct Parts;

  explicit Session(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
  bool is_due_ = false;
};

}  // namespace orrery::server
