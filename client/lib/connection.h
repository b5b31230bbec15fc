// A client's connection to a server: commands out, snapshots and events in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "client/lib/command_queue.h"
#include "client/lib/delta_receiver.h"
#include "client/lib/follower.h"
#include "client/lib/reliable_messages.h"
#include "client/lib/snapshot_buffer.h"
#include "common/codec/event_codec.h"
#include "common/net/client_endpoint.h"
#include "common/world/command.h"

namespace orrery::client {

// Counts since the start of a connection.
struct ConnectionCounters {
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t malformed = 0;  // messages that did not decode, reliable ones included
  std::uint64_t commands = 0;   // given by this client
  MessageCounters messages;     // of reliable messages
};

// A connection to a server. Commands and events are resent until they are acknowledged, so a lost
// datagram only delays them. Queries and answers are sent once, and may be lost.
class Connection {
 public:
  // Starts to connect. `events`: asks for events. With a follower, the server sends the records of
  // the session instead of snapshots and events. The follower takes these records, and the
  // connection reports a mismatch to the server. The events are then those of the followed world.
  // `delta`: the server sends snapshots as differences. REQUIRES: the environment and the follower
  // outlive the connection.
  Connection(net::NetEnvironment& environment, const net::ConnectToken& token, net::Nanoseconds now,
             bool events = false, Follower* follower = nullptr, bool delta = false);

  // Takes a datagram. Returns the snapshot that it completes, or nullptr; snapshots() keeps it.
  // Events, refusals and an answer that the datagram brings are in events(), messages() and
  // answer() until the next call. `route`: see ClientEndpoint::receive().
  const Snapshot* receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                          std::uint32_t route = 0);
  // Returns the events that the last datagram made available, in order, each item with events of
  // one tick. A datagram that fills a gap makes several available: the message that was lost
  // before, and the later ones that waited for it.
  const std::vector<codec::message::Events>& events() const { return messages_.events(); }
  const std::optional<codec::message::Answer>& answer() const { return answer_; }

  // Sends waiting commands and keeps the connection alive. REQUIRES: several calls per tick.
  void update(net::Nanoseconds now);

  // Queues a command for the next update(). It applies to `tick`, or to the server's next tick if
  // `tick` is 0. Drops the command and returns false if limits::kCommandsQueuedMax commands wait
  // for an acknowledgement. REQUIRES: connected().
  bool command(const CommandPayload& payload, Tick tick = Tick{});

  // Asks for the first hit of a ray from `origin` to `origin` + `along`. Both vectors have lengths
  // up to limits::kLengthMax. Returns the query, with the id that its answer repeats. An answer
  // that does not arrive within a second never will: a datagram was lost, or the client sent more
  // than net::kQueriesPerSecond queries. REQUIRES: connected().
  codec::message::Query cast_ray(const Vec3& origin, const Vec3& along, net::Nanoseconds now);

  // Ends the connection, and informs the server.
  void disconnect(net::Nanoseconds now) { endpoint_.disconnect(now); }
  // Ends the connection because its path is gone (ClientEndpoint::lose).
  void lose() { endpoint_.lose(); }

  // Returns the endpoint, which has the welcome, the path and the state of the connection.
  const net::ClientEndpoint& endpoint() const { return endpoint_; }
  bool connected() const { return endpoint_.state() == net::ClientState::connected; }
  // Returns true if no report of a mismatch waits for an acknowledgement by the server.
  // REQUIRES: the connection was opened as a follower or with events.
  bool has_reported() const { return endpoint_.reliable_idle(); }
  const SnapshotBuffer& snapshots() const { return snapshots_; }
  // Returns the scene of the session; nullptr until it has arrived. It never arrives if
  // `scene_bytes` of the welcome is 0.
  const Scene* scene() const { return messages_.scene(); }
  // Returns the reliable messages, for refused commands and for the error of a scene.
  const ReliableMessages& messages() const { return messages_; }
  // Returns how early commands arrived at the server: the least margin that the server reported
  // since the last call.
  codec::CommandMargin take_margin() { return std::exchange(reported_.margin, {}); }
  // Returns the commands that the server has not acknowledged.
  const CommandQueue& commands() const { return commands_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  const Snapshot* take_snapshot(Bytes message);
  const Snapshot* take_frame(Bytes message);
  void take_messages(net::Nanoseconds now);
  void note(const codec::CommandReport& report);

  net::ClientEndpoint endpoint_;
  Follower* const follower_;
  const bool wants_delta_;
  std::unique_ptr<DeltaReceiver> delta_;  // in mode delta, from the first frame on
  SnapshotBuffer snapshots_;
  codec::SnapshotPart part_;  // the part that is being decoded
  ReliableMessages messages_;
  // The newest tick whose report was taken from a snapshot, and the least margin in reports.
  struct Reported {
    Tick tick{};
    codec::CommandMargin margin{};
  } reported_;
  std::optional<codec::message::Answer> answer_;
  std::uint32_t last_query_ = 0;
  CommandQueue commands_;
  std::vector<std::uint8_t> message_;  // scratch: an outgoing message
  ConnectionCounters counters_;
};

}  // namespace orrery::client
