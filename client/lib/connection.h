// Owns a connection as a client program uses it: commands out, snapshots in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/lib/follower.h"
#include "client/lib/snapshot_buffer.h"
#include "common/codec/event_codec.h"
#include "common/net/client_endpoint.h"
#include "common/world/command.h"

namespace orrery::client {

struct ConnectionCounters {
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t malformed = 0;      // messages that did not decode
  std::uint64_t commands = 0;       // given by this client
  std::uint64_t events = 0;         // that this client was told of
  std::uint64_t events_missed = 0;  // since the first one: the server has left them out
};

// Commands are sent until the server says that it has them, and events until this side does, so a
// lost datagram costs time and nothing else. Queries and answers are sent once.
class Connection {
 public:
  // Starts to connect, and asks to be told of events or not. With a follower it asks to follow: no
  // snapshots or events come, the follower takes what comes, and the server is told if it finds a
  // mismatch. The environment and the follower outlive the connection.
  Connection(net::NetEnvironment& environment, const net::ConnectToken& token, net::Nanoseconds now,
             bool events = false, Follower* follower = nullptr);

  // Takes a datagram; returns the snapshot that it completes, if any: it stays in snapshots().
  // Until the next call, events() and answer() are what the datagram says instead.
  const Snapshot* receive(const net::Address& from, Bytes datagram, net::Nanoseconds now);
  // In the order in which they happened; several messages where one was lost before.
  const std::vector<codec::message::Events>& events() const { return events_; }
  const std::optional<codec::message::Answer>& answer() const { return answer_; }

  // To be called a few times in every tick: sends commands that wait, and keeps the connection.
  void update(net::Nanoseconds now);

  // Gives a command to be sent by the next update(), for a tick (0: the next). False if so many
  // wait for the server that one more would not fit: then it is not given.
  bool command(const CommandPayload& payload, Tick tick = Tick{});

  // Asks for the first thing on the way from `origin` to origin + `along` (within
  // limits::kLengthMax); returns the id that the answer will have. One that does not come within a
  // second does not come: a datagram was lost, or more than kQueriesPerSecond were asked.
  std::uint32_t cast_ray(const Vec3& origin, const Vec3& along, net::Nanoseconds now);

  void disconnect(net::Nanoseconds now) { endpoint_.disconnect(now); }

  const net::ClientEndpoint& endpoint() const { return endpoint_; }
  bool connected() const { return endpoint_.state() == net::ClientState::connected; }
  // With a follower: the server has been told of its mismatch, or there is none.
  bool has_reported() const { return endpoint_.reliable_idle(); }
  const SnapshotBuffer& snapshots() const { return snapshots_; }
  // The server has all commands up to here.
  Sequence acknowledged() const { return acknowledged_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  const Snapshot* take_snapshot(Bytes message);
  void take_events();
  void follow(net::Nanoseconds now);
  void acknowledge(Sequence sequence);
  void send_commands(net::Nanoseconds now);

  net::ClientEndpoint endpoint_;
  Follower* const follower_;
  SnapshotBuffer snapshots_;
  codec::SnapshotPart part_;  // scratch
  std::vector<codec::message::Events> events_;
  std::optional<std::uint64_t> next_event_;  // its number in the session
  std::optional<codec::message::Answer> answer_;
  std::uint32_t last_query_ = 0;
  std::vector<codec::message::TimedCommand> unacknowledged_;  // ascending sequence, without gaps
  Sequence last_;                                             // the newest command given
  Sequence acknowledged_;
  net::Nanoseconds commands_sent_at_ = 0;
  bool fresh_ = false;  // a command was never sent
  std::vector<std::uint8_t> message_;
  ConnectionCounters counters_;
};

}  // namespace orrery::client
