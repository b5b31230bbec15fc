// Implements the server's side of all connections.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/net/environment.h"
#include "common/net/gate/gate.h"
#include "common/net/outbox.h"
#include "common/net/packet/payload.h"
#include "common/net/server_peers.h"

namespace orrery::net {

// Traffic counters of a server since it started. The byte counts leave out the headers of UDP and
// IP.
struct NetCounters {
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t challenges = 0;
  std::uint64_t denials = 0;       // denials because all slots were taken
  std::uint64_t replacements = 0;  // connections replaced by a newer one of the same account
  std::uint64_t moves = 0;         // connections that continued from another address
  std::array<std::uint64_t, kDrops> drops{};
};

// Limits for each client.
struct ClientLimits {
  // Bytes per second with headers of UDP and IP: CongestionControl::kRateMin to kRateMax.
  double bytes_per_second = CongestionControl::kRateMax;
  // Bytes in the largest datagram that it is sent: kDatagramBytesMin to kPacketBytesMax.
  std::size_t datagram_bytes = kPacketBytesMax;
};

// The settings of a server endpoint. The welcome of each client repeats the numbers about ticks,
// scene and bodies.
struct ServerConfig {
  std::uint32_t clients_max = 0;
  std::uint32_t tick_rate = 0;  // ticks per second
  double tick_time = 0;         // simulated time of a tick, in the time unit of the scene
  std::uint32_t scene_bodies = 0;
  std::string scene;  // name of the scene
  Access access;
  ClientLimits client_limits{};
  std::uint32_t scene_bytes = 0;  // size of the scene message of modes plain and delta; 0: none
  std::uint64_t epoch = 0;        // random for each start of the process
  double interest_radius = 0;     // of the scene
  codec::DeltaScene frames{};     // the numbers of frames of mode delta
};

// An event for the caller of ServerEndpoint. Its kind says which of the other fields are set.
struct ServerEvent {
  // The kind of an event:
  // - nothing: the datagram was handled inside, or dropped and counted.
  // - joined: `client` sent a valid hello. `role` is set.
  // - moved: a joined client continues from another address.
  // - narrowed: the path to a joined client drops large datagrams, so it gets small ones.
  // - left: a joined client is gone. `reason` is set. If it is `replaced`, a newer connection of
  //   the same account has taken its slot, and joins later.
  // - input, query, frame_ack: an unreliable message from `client` is in `message`, still to be
  //   decoded.
  // - reliable: reliable data arrived. Call next_message() until it returns nothing.
  enum class Kind : std::uint8_t {
    nothing,
    joined,
    moved,
    narrowed,
    left,
    input,
    query,
    frame_ack,
    reliable
  };

  Kind kind = Kind::nothing;
  ClientId client{};
  Role role{};         // if joined
  Bytes message{};     // if input, query or frame_ack; valid until the next datagram
  EndReason reason{};  // if left
};

// The server's side of all connections, as a state machine without sockets, clock or threads. Gate
// decides who may connect, ServerPeers keeps the clients, Outbox seals and sends.
//
// After the constructor, repeat: call receive() for every datagram that arrives, then update() with
// the current time. Both report ServerEvents. Then call refill() for each joined client, and send.
// The endpoint sends through its NetEnvironment.
//
// A connection follows netcode 1.02: request, challenge, response, keep-alive. Then the client
// sends hello, and the server answers with welcome: the client has joined. ClientEndpoint has the
// diagram. Clients have ids from 1, and an id is reused after its client left.
//
// Memory is allocated in the constructor only, with two exceptions. A welcome copies the name of
// the scene. A client gets a ReliableChannel when it joins, which grows with the messages that it
// receives.
class ServerEndpoint {
 public:
  // REQUIRES: the environment outlives the endpoint; clients_max is 1 to limits::kClientsMax;
  // tick_rate >= 1; tick_time > 0.
  ServerEndpoint(NetEnvironment& environment, ServerConfig config, Nanoseconds now);
  ServerEndpoint(const ServerEndpoint&) = delete;  // members refer to each other
  ServerEndpoint& operator=(const ServerEndpoint&) = delete;

  // Limits each client that connects from now on. REQUIRES: the limits are in their ranges.
  void limit_clients(const ClientLimits& limits) { config_.client_limits = limits; }

  // Handles one datagram from the network, and returns the event for the caller. The work depends
  // on the first byte and on the sender:
  //
  // - Request: the gate checks the token. The server sends a challenge or a denial with a reason,
  //   or drops the request.
  // - Response: a client with a correct answer to the challenge gets a slot, or a denial if all are
  //   taken. If the account of the client has an older connection, the older one ends, and the
  //   client gets its slot. The event is then of kind left, if a client had joined on the older
  //   connection. The event joined follows when the new connection has sent hello.
  // - Move: a client with another address asks for a challenge, with the token of its connection.
  // If the server has no such connection, it says so by a denial.
  // - Moved: the answer to this challenge. The connection continues at the new address.
  // - Other packets from a connected address: must be new and open with the client's key. The
  //   payload is then decoded, and its acknowledgements are recorded. Floods end the connection.
  // - Everything else is dropped. NetCounters::drops counts it by reason.
  //
  // Never trusts a byte before the seal of the packet was verified. ServerEvent::message points
  // into a buffer of the endpoint that the next call overwrites.
  ServerEvent receive(const Address& from, Bytes datagram, Nanoseconds now);

  // Ends connections that were silent for their timeout, and sends keep-alives and resumption
  // tickets. Silence is time in which this server ran: of the time since the last call, at most
  // kServerPauseMin counts. For each joined client whose connection it ends, appends an event of
  // kind `left` to `events`. For each client whose path turns out to drop large datagrams, appends
  // one of kind `narrowed`. Call it after all waiting datagrams were received.
  void update(Nanoseconds now, std::vector<ServerEvent>& events);

  // Returns the gate, for what it knows of tokens.
  const Gate& gate() const { return gate_; }

  // Returns the clients, with the state of each.
  const ServerPeers& peers() const { return peers_; }

  // Grants a client's congestion control the bytes for the next `interval`. Call it once per
  // interval. REQUIRES: the client has joined.
  void refill(ClientId client, Nanoseconds interval, Nanoseconds now);

  // Sends an unreliable message. REQUIRES: the client has joined.
  void send(ClientId client, MessageType type, Bytes message, Nanoseconds now);
  // Sends the parts of a snapshot, each in a datagram. REQUIRES: the client has joined; there is at
  // least one part.
  void send_snapshot(ClientId client, MessageType type, std::span<const Bytes> parts,
                     Nanoseconds now);

  // --- Reliable messages. REQUIRES: the client has joined ---

  // Gives the client's sender its next message of at most kBytesToClientMax bytes. It is sent by
  // send_messages(). REQUIRES: peers()[client].link.sender().ready().
  void queue_reliable(ClientId client, SharedBytes message);
  // Sends due fragments in at most `datagrams_max` datagrams, each with the report about the
  // client's commands. Returns the number of datagrams sent.
  std::size_t send_messages(ClientId client, const codec::CommandReport& report,
                            std::size_t datagrams_max, Nanoseconds now);
  // Like send_messages(), but also limited to the part of the client's budget that reliable
  // messages may use (CongestionControl::reliable_room).
  std::size_t send_reliable_within_budget(ClientId client, const codec::CommandReport& report,
                                          std::size_t datagrams_max, Nanoseconds now);
  // Returns the next whole message from the client, or nothing. It is valid until the next call of
  // next_message() or receive(). Call it after an event of kind reliable.
  std::optional<Bytes> next_message(ClientId client) {
    return peers_[client].link.receiver().next();
  }

  // --- The end of connections, and counters ---

  // Ends a connection: sends the reason and disconnect packets. Returns an event of kind left, or
  // of kind nothing if the client had not joined. REQUIRES: the client is connected.
  ServerEvent disconnect(ClientId client, const codec::message::Goodbye& goodbye, Nanoseconds now);

  // Ends a connection without a packet, because its path carries none any more. Returns an event as
  // disconnect() does. REQUIRES: the client is connected.
  ServerEvent remove(ClientId client, EndReason reason, Nanoseconds now);

  // Ends all connections because the session is over. Nothing may be received or sent afterwards.
  void stop(Nanoseconds now);

  // Counts a datagram or message that is dropped, by the endpoint or by its caller. Returns an
  // event of kind nothing.
  ServerEvent drop(Drop reason);

  // Returns the traffic since construction.
  NetCounters counters() const;

 private:
  ServerEvent on_request(const Address& from, Bytes datagram, Nanoseconds now);
  ServerEvent on_response(const Address& from, const PacketPrefix& prefix, Bytes datagram,
                          Nanoseconds now);
  ServerEvent on_peer_packet(ClientId client, const PacketPrefix& prefix, Bytes datagram,
                             Nanoseconds now);
  ServerEvent on_payload(ClientId client, Bytes text, Nanoseconds now);
  ServerEvent on_hello(ClientId client, Bytes message, Nanoseconds now);
  ServerEvent on_reliable(ClientId client, Bytes message, Nanoseconds now);
  void connect(const PendingClient& applicant, ClientId client, Nanoseconds now);
  ServerEvent refuse(const PendingClient& applicant, EndReason refusal, Nanoseconds now);
  void send_keep_alive(ClientId client, Nanoseconds now);
  // Appends a packet or message to the outbox, and charges it to the client's budget.
  template <class Type>
  void append(ServerPeer& to, Type type, Bytes bytes, Nanoseconds now) {
    ORRERY_ASSERT(to.connected);
    to.budget.spend(out_.append(to.link, type, bytes, now));
  }

  ServerConfig config_;
  Gate gate_;
  ServerPeers peers_;
  Outbox out_;
  std::vector<std::uint8_t> message_;                           // scratch: an outgoing message
  alignas(16) std::array<std::uint8_t, kPacketBytesMax> text_;  // text of the last opened packet
  NetCounters counters_;
};

}  // namespace orrery::net
