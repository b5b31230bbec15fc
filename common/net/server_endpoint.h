// Owns the server's side of all connections: who is connected, and which datagrams count.
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
#include "common/net/acks.h"
#include "common/net/budget.h"
#include "common/net/environment.h"
#include "common/net/fixed_map.h"
#include "common/net/gate.h"
#include "common/net/path.h"
#include "common/net/payload.h"
#include "common/net/rate_limit.h"
#include "common/net/reliable_channel.h"
#include "common/net/replay_window.h"

namespace orrery {

struct NetCounters {
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t challenges = 0;
  std::uint64_t denials = 0;
  std::array<std::uint64_t, kDrops> drops{};
};

struct ServerConfig {
  std::uint32_t clients_max = 0;
  std::uint32_t tick_rate = 0;
  double tick_time = 0;
  std::uint32_t scene_bodies = 0;
  std::string scene;
  Access access;
};

// What a datagram, or the passing of time, comes to.
struct ServerEvent {
  enum class Kind : std::uint8_t { nothing, joined, left, input, query, reliable };

  Kind kind = Kind::nothing;
  ClientId client{};
  Role role{};                         // of a join
  Bytes message{};                     // of an input or a query: until the next datagram
  message::DisconnectReason reason{};  // of a leave
};

// A connection is one of netcode 1.02, and behind it an exchange of hello and welcome, with which a
// client joins. Nothing is allocated after construction, but for those who follow or are told of
// events: for each as much as reliable messages need.
class ServerEndpoint {
 public:
  // The environment outlives the endpoint.
  ServerEndpoint(NetEnvironment& environment, ServerConfig config, Nanoseconds now);

  // Sends no client that connects from now on more than so many bytes a second, from
  // Budget::kRateMin to Budget::kRateMax, headers of UDP and IP included.
  void limit_clients(double bytes_per_second) { client_rate_max_ = bytes_per_second; }

  ServerEvent receive(const Address& from, Bytes datagram, Nanoseconds now);

  // Appends those who were not heard of for too long, and tells those who heard nothing that the
  // server is there. To be called after everything that has come was received.
  void update(Nanoseconds now, std::vector<ServerEvent>& left);

  // Whether a token made now would be let in (net/gate.h).
  bool takes_new_tokens() const { return gate_.takes_new_tokens(); }
  bool connected(const Address& address) const { return slots_.contains(address); }
  bool joined(ClientId client) const { return peer(client).joined; }
  // The client has asked to be told of events, and does not follow.
  bool wants_events(ClientId client) const { return peer(client).events; }
  // The client has asked to be told of commands in place of snapshots.
  bool follows(ClientId client) const { return peer(client).channel && !peer(client).events; }
  Role role(ClientId client) const { return peer(client).role; }
  const Address& address(ClientId client) const { return peer(client).address; }
  // Returns the bytes of all datagrams to the client, without headers of UDP and IP.
  std::uint64_t bytes_sent(ClientId client) const { return peer(client).bytes_sent; }
  // What is known of the way to the client and back.
  const Path& path(ClientId client) const { return peer(client).path; }
  // What may be sent to the client; and gives it that for so long, until it is called again.
  const Budget& budget(ClientId client) const { return peer(client).budget; }
  void refill(ClientId client, Nanoseconds interval, Nanoseconds now);
  // Connections, also of those who have not joined yet.
  std::uint32_t clients() const { return static_cast<std::uint32_t>(slots_.size()); }
  // No client has an id above this; it is the most that were connected at one time.
  ClientId highest() const { return ClientId{slots_used_}; }

  // To a client that has joined.
  void send(ClientId client, MessageType type, Bytes message, Nanoseconds now);
  // The parts of a snapshot, a datagram each.
  void send_snapshot(ClientId client, std::span<const Bytes> parts, Nanoseconds now);

  // --- reliable messages, of a client that follows or is told of events ---

  // The next message may be given; and gives it, of at most kBytesToClientMax.
  bool takes_message(ClientId client) const { return channel(client).sender.ready(); }
  void give_message(ClientId client, SharedBytes message);
  // Sends what is due of the messages given, in at most so many datagrams; each also says up to
  // where the client's commands have come. Returns how many it were.
  std::size_t send_messages(ClientId client, Sequence input, std::size_t datagrams_max,
                            Nanoseconds now);
  // The same, as far as the budget has room for it aside from snapshots.
  void send_aside(ClientId client, Sequence input, std::size_t datagrams_max, Nanoseconds now);
  // After an event of kind reliable: the next message of the client, until the next call; nothing
  // if no more is whole.
  std::optional<Bytes> next_message(ClientId client) { return channel(client).receiver.next(); }

  // Ends the connection of a client that has joined. Returns its leave.
  ServerEvent disconnect(ClientId client, message::DisconnectReason reason, Nanoseconds now);

  // Tells all clients that the session is over. Nothing may follow.
  void stop(Nanoseconds now);

  // A message that the reader of inputs or of queries found unsound.
  void count_malformed() { count(Drop::malformed); }

  const NetCounters& counters() const { return counters_; }

 private:
  struct Peer {
    bool connected = false;
    bool joined = false;  // its hello has come
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
    Path path{};
    Budget budget{};
    std::unique_ptr<ReliableChannel> channel{};  // of those who follow, or are told of events
    Nanoseconds last_received = 0;               // until it has joined: when it was connected
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
  void connect(const Applicant& applicant, Nanoseconds now);
  void welcome(ClientId client, Nanoseconds now);
  ServerEvent remove(ClientId client, message::DisconnectReason reason, Nanoseconds now);

  void append_packet(Peer& to, PacketType type, Bytes text, Nanoseconds now);
  void append_message(Peer& to, MessageType type, Bytes message, Nanoseconds now);
  // As append_message(), behind datagrams of `size` bytes, all sent first if it does not fit there;
  // returns the size of those that datagram_ then holds. 0: none yet.
  std::size_t append_to_train(Peer& to, MessageType type, Bytes message, std::size_t size,
                              Nanoseconds now);
  void send_keep_alive(ClientId client, Nanoseconds now);
  // Sends what datagram_ holds, `size` bytes at a time.
  void send_train(const Address& to, std::size_t size);
  void send_datagram(const Address& to) { send_train(to, datagram_.size()); }

  NetEnvironment& environment_;
  const ServerConfig config_;
  const std::uint32_t packet_rate_;  // that a client may sustain, as multiples of it
  Gate gate_;
  std::vector<Peer> peers_;                          // client c is at c - 1
  FixedMap<Address, std::uint32_t> slots_;           // of those who are connected
  FixedMap<std::uint64_t, std::uint32_t> accounts_;  // the same by client id of their tokens
  // When connections of these addresses ended. Who leaves says goodbye in several copies, and what
  // was on its way may come after the first.
  FixedMap<Address, Nanoseconds> departed_;
  double client_rate_max_ = Budget::kRateMax;
  std::uint32_t slots_used_ = 0;        // that were ever taken: beyond need not be looked at
  std::vector<std::uint8_t> datagram_;  // or several, one behind the other
  std::vector<std::uint8_t> message_;   // that the endpoint itself has to say
  std::vector<std::uint8_t> payload_;   // to be sealed
  alignas(16) std::array<std::uint8_t, kPacketBytesMax> text_;  // that was opened
  NetCounters counters_;
};

}  // namespace orrery
