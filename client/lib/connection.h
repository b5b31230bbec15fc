// Owns a connection as a client program uses it: commands out, snapshots in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/net/client_endpoint.h"
#include "common/world/command.h"

namespace orrery {

struct ConnectionCounters {
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t malformed = 0;  // snapshot parts that did not decode
  std::uint64_t commands = 0;   // given by this client
};

// Commands are sent until the server says that it has them, so a lost datagram costs time and
// nothing else.
class Connection {
 public:
  // Starts to connect. The environment outlives the connection.
  Connection(NetEnvironment& environment, const Address& server, Nanoseconds now);

  // Takes a datagram; returns the snapshot that it completes, if any: it stays in snapshots().
  const Snapshot* receive(const Address& from, Bytes datagram, Nanoseconds now);

  // To be called a few times in every tick: sends commands that wait, and keeps the connection.
  void update(Nanoseconds now);

  // Gives a command to be sent by the next update(), for a tick (0: the next). False if so many
  // wait for the server that one more would not fit: then it is not given.
  bool command(const CommandPayload& payload, Tick tick = Tick{});

  void disconnect(Nanoseconds now) { endpoint_.disconnect(now); }

  const ClientEndpoint& endpoint() const { return endpoint_; }
  bool connected() const { return endpoint_.state() == ClientState::connected; }
  const SnapshotBuffer& snapshots() const { return snapshots_; }
  // The server has all commands up to here.
  Sequence acknowledged() const { return acknowledged_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  void acknowledge(Sequence sequence);
  void send_commands(Nanoseconds now);

  ClientEndpoint endpoint_;
  SnapshotBuffer snapshots_;
  SnapshotPart part_;                                  // scratch
  std::vector<message::TimedCommand> unacknowledged_;  // ascending sequence, without gaps
  Sequence last_;                                      // the newest command given
  Sequence acknowledged_;
  Nanoseconds commands_sent_at_ = 0;
  bool fresh_ = false;  // a command was never sent
  std::vector<std::uint8_t> message_;
  ConnectionCounters counters_;
};

}  // namespace orrery
