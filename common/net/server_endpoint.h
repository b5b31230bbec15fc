// Implements the server's side of all connections.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/net/channel/acks.h"
#include "common/net/channel/congestion_control.h"
#include "common/net/channel/path_estimator.h"
#include "common/net/channel/reliable_channel.h"
#include "common/net/channel/replay_window.h"
#include "common/net/environment.h"
#include "common/net/fixed_map.h"
#include "common/net/gate/gate.h"
#include "common/net/gate/rate_limit.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// Traffic counters of a server since it started. Bytes are without headers of UDP and IP.
struct NetCounters {
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t challenges = 0;
  std::uint64_t denials = 0;
  std::array<std::uint64_t, kDrops> drops{};
};

// The settings of a server endpoint. Ticks, scene and bodies go into the welcome of each client.
struct ServerConfig {
  std::uint32_t clients_max = 0;
  std::uint32_t tick_rate = 0;
  double tick_time = 0;
  std::uint32_t scene_bodies = 0;
  std::string scene;
  Access access;
};

// An event for the caller of ServerEndpoint. Its kind says which of the other fields are set.
struct ServerEvent {
  // The kind of an event:
  // - nothing: the datagram was handled inside, or dropped and counted.
  // - joined: `client` sent a valid hello. `role` is set.
  // - left: a joined client is gone. `reason` is set.
  // - input, query: an unreliable message from `client` is in `message`, still to be decoded.
  // - reliable: reliable data arrived. Call next_message() until it returns nothing.
  enum class Kind : std::uint8_t { nothing, joined, left, input, query, reliable };

  Kind kind = Kind::nothing;
  ClientId client{};
  Role role{};                                // if joined
  Bytes message{};                            // if input or query; valid until the next datagram
  codec::message::DisconnectReason reason{};  // if left
};

// The server's side of all connections, as a state machine without sockets, clock or threads.
//
// After the constructor, repeat: call receive() for every datagram that arrives, then update() with
// the current time. Both report ServerEvents. Then call refill() for each joined client, and send.
// The endpoint sends through its NetEnvironment.
//
// A connection follows netcode 1.02: request, challenge, response, keep-alive. Then the client
// sends hello, and the server answers with welcome: the client has joined. ClientEndpoint has the
// diagram. Clients have ids from 1, and an id is reused after its client left.
//
// Memory is allocated in the constructor only. The exceptions are clients in mode follow or with
// events: each gets a ReliableChannel when it joins.
class ServerEndpoint {
 public:
  // REQUIRES: the environment outlives the endpoint; clients_max is 1 to limits::kClientsMax;
  // tick_rate >= 1.
  ServerEndpoint(NetEnvironment& environment, ServerConfig config, Nanoseconds now);

  // Limits the rate to each client that connects from now on, in bytes per second with headers of
  // UDP and IP. REQUIRES: Budget::kRateMin <= bytes_per_second <= Budget::kRateMax.
  void limit_clients(double bytes_per_second) { client_rate_max_ = bytes_per_second; }

  // Handles one datagram from the network, and returns the event for the caller. The work depends
  // on the first byte and on the sender:
  //
  // - Request: the gate checks the token. The server sends a challenge, or a denial if it is full.
  // - Response: a correct answer to the challenge takes a slot. No event yet: the client must say
  //   hello.
  // - Other packets from a connected address: must be new and open with the client's key. The
  //   payload is then decoded, and its acknowledgements are recorded. Floods end the connection.
  // - Everything else is dropped. NetCounters::drops counts it by reason.
  //
  // Never trusts a byte before the seal of the packet was verified. ServerEvent::message points
  // into a buffer of the endpoint that the next call overwrites.
  ServerEvent receive(const Address& from, Bytes datagram, Nanoseconds now);

  // Ends connections that were silent for their timeout, and sends keep-alives. Appends an event of
  // kind left for each joined client that is gone. Call it after all waiting datagrams were
  // received.
  void update(Nanoseconds now, std::vector<ServerEvent>& left);

  // Returns true if a token created now would be accepted (net/gate/gate.h).
  bool takes_new_tokens() const { return gate_.takes_new_tokens(); }

  // --- State of a client. REQUIRES: client ids are from 1 to clients_max ---

  // Return true if the address has a connection, or if the client said hello.
  bool connected(const Address& address) const { return slots_.contains(address); }
  bool joined(ClientId client) const { return peer(client).joined; }
  // Returns true if the client asked for events in mode plain, as reliable messages.
  bool wants_events(ClientId client) const { return peer(client).events; }
  // Returns true if the client is in mode follow: it gets commands instead of snapshots.
  bool follows(ClientId client) const { return peer(client).channel && !peer(client).events; }
  Role role(ClientId client) const { return peer(client).role; }
  const Address& address(ClientId client) const { return peer(client).address; }
  // Returns the bytes sent to the client, without headers of UDP and IP.
  std::uint64_t bytes_sent(ClientId client) const { return peer(client).bytes_sent; }
  // Returns estimates of round trip, jitter and loss.
  const PathEstimator& path(ClientId client) const { return peer(client).path; }
  // Returns the congestion control of the client. refill() grants it the bytes for the next
  // `interval`; call it once per interval. REQUIRES: joined(client).
  const CongestionControl& budget(ClientId client) const { return peer(client).budget; }
  void refill(ClientId client, Nanoseconds interval, Nanoseconds now);
  // Returns the number of connections, including clients that have not joined yet.
  std::uint32_t clients() const { return static_cast<std::uint32_t>(slots_.size()); }
  // Returns the highest client id in use so far: the largest number of simultaneous connections.
  ClientId highest() const { return ClientId{slots_used_}; }

  // Sends an unreliable message. REQUIRES: joined(client).
  void send(ClientId client, MessageType type, Bytes message, Nanoseconds now);
  // Sends the parts of a snapshot, each in a datagram. REQUIRES: joined(client); at least one part.
  void send_snapshot(ClientId client, std::span<const Bytes> parts, Nanoseconds now);

  // --- Reliable messages. REQUIRES: follows(client) or wants_events(client) ---

  // Gives the client's sender its next message of at most kBytesToClientMax bytes. It is sent by
  // send_messages(). REQUIRES: can_queue_reliable(client).
  bool can_queue_reliable(ClientId client) const { return channel(client).sender.ready(); }
  void queue_reliable(ClientId client, SharedBytes message);
  // Sends due fragments in at most `datagrams_max` datagrams. Each datagram also acknowledges the
  // client's commands up to `input`. Returns the number of datagrams sent.
  std::size_t send_messages(ClientId client, Sequence input, std::size_t datagrams_max,
                            Nanoseconds now);
  // Does the same within the budget's share for reliable messages
  // (CongestionControl::reliable_room).
  void send_reliable_within_budget(ClientId client, Sequence input, std::size_t datagrams_max,
                                   Nanoseconds now);
  // Returns the next whole message from the client, or nothing. It is valid until the next call.
  // Call it after an event of kind reliable.
  std::optional<Bytes> next_message(ClientId client) { return channel(client).receiver.next(); }

  // --- The end of connections, and counters ---

  // Ends a connection: sends the reason and disconnect packets. Returns the event of kind left.
  // REQUIRES: joined(client).
  ServerEvent disconnect(ClientId client, codec::message::DisconnectReason reason, Nanoseconds now);

  // Ends all connections because the session is over. No call may follow.
  void stop(Nanoseconds now);

  // Counts a message that the caller could not decode.
  void count_malformed() { count(Drop::malformed); }

  // Returns the traffic since construction.
  const NetCounters& counters() const { return counters_; }

 private:
  struct Peer {
    bool connected = false;
    bool joined = false;  // the hello has arrived
    bool events = false;
    Role role = Role::watch;
    Address address{};
    std::uint64_t client_id = 0;
    Nanoseconds timeout = 0;
    Key receive_key{};
    Key send_key{};
    ServerSequences sequences{};
    ReplayWindow window{};
    Acks acks{};
    PathEstimator path{};
    CongestionControl budget{};
    std::unique_ptr<ReliableChannel> channel{};  // if it follows or has events
    Nanoseconds last_received = 0;               // before it joins: time of connection
    Nanoseconds last_sent = 0;
    std::uint64_t bytes_sent = 0;
    TokenBucket bucket{1, 1, 0};
    TokenBucket queries{1, 1, 0};
    FloodMeter flood{1, 0};
  };

  const Peer& peer(ClientId client) const;
  Peer& peer(ClientId client);
  ReliableChannel& channel(ClientId client);
  const ReliableChannel& channel(ClientId client) const;
  bool is_full() const { return slots_.size() == peers_.size(); }

  ServerEvent count(Drop drop);
  ServerEvent on_request(const Address& from, Bytes datagram, Nanoseconds now);
  ServerEvent on_response(const Address& from, const PacketPrefix& prefix, Bytes datagram,
                          Nanoseconds now);
  ServerEvent on_peer_packet(ClientId client, const PacketPrefix& prefix, Bytes datagram,
                             Nanoseconds now);
  ServerEvent on_payload(ClientId client, Bytes text, Nanoseconds now);
  ServerEvent on_hello(ClientId client, Bytes message, Nanoseconds now);
  ServerEvent on_reliable(ClientId client, Bytes message, Nanoseconds now);
  void connect(const PendingClient& applicant, Nanoseconds now);
  void welcome(ClientId client, Nanoseconds now);
  ServerEvent remove(ClientId client, codec::message::DisconnectReason reason, Nanoseconds now);

  void append_packet(Peer& to, PacketType type, Bytes text, Nanoseconds now);
  void append_message(Peer& to, MessageType type, Bytes message, Nanoseconds now);
  // Appends a message to the train of datagrams in datagram_. The datagrams have `size` bytes; the
  // last may be shorter. Sends them first if the message does not fit. Returns the size of the
  // datagrams that datagram_ then holds; 0 means none.
  std::size_t append_to_train(Peer& to, MessageType type, Bytes message, std::size_t size,
                              Nanoseconds now);
  void send_keep_alive(ClientId client, Nanoseconds now);
  // Sends the datagrams in datagram_, of `size` bytes each.
  void send_train(const Address& to, std::size_t size);
  void send_datagram(const Address& to) { send_train(to, datagram_.size()); }

  NetEnvironment& environment_;
  const ServerConfig config_;
  const std::uint32_t packet_rate_;  // packets per second that limits are multiples of
  Gate gate_;
  std::vector<Peer> peers_;                          // client c is at index c - 1
  FixedMap<Address, std::uint32_t> slots_;           // slot by address, if connected
  FixedMap<std::uint64_t, std::uint32_t> accounts_;  // slot by account, the client id of the token
  // End times of recent connections, by address. A client leaves with several disconnect packets,
  // and more may arrive after the first.
  FixedMap<Address, Nanoseconds> departed_;
  double client_rate_max_ = CongestionControl::kRateMax;
  std::uint32_t slots_used_ = 0;        // slots ever used; later ones need no check
  std::vector<std::uint8_t> datagram_;  // one datagram, or a train of several
  std::vector<std::uint8_t> message_;   // a message of the endpoint itself
  std::vector<std::uint8_t> payload_;   // before it is sealed
  alignas(16) std::array<std::uint8_t, kPacketBytesMax> text_;  // an opened packet
  NetCounters counters_;
};

}  // namespace orrery::net
