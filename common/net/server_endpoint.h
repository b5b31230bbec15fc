// Owns the server's side of all connections: who is connected, and which datagrams count.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/net/acks.h"
#include "common/net/environment.h"
#include "common/net/packet.h"
#include "common/net/peer_table.h"
#include "common/net/rate_limit.h"

namespace orrery {

// Why a datagram was dropped.
enum class Drop : std::uint8_t {
  malformed,    // not a packet, or its message is not sound
  misdirected,  // a packet that only clients take
  stranger,     // from an address without a connection
  impostor,     // from a connected address, but not its connection
  repeated,     // came before, is too old to tell, or of a connection that is over
  bad_cookie,   // forged, expired, or of another address
  flood,        // more than a client, or all strangers together, may send
};
inline constexpr std::size_t kDrops = 7;

std::string_view drop_name(Drop drop);

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
};

// What a datagram, or the passing of time, comes to.
struct ServerEvent {
  enum class Kind : std::uint8_t { nothing, joined, left, input, query };

  Kind kind = Kind::nothing;
  ClientId client{};
  Bytes message{};                     // of an input or a query: part of the datagram
  message::DisconnectReason reason{};  // of a leave
};

// Holds no state for strangers, and answers nothing that is not sound. After construction it
// allocates nothing but, for a moment, a few bytes for an accept and a disconnect: once a
// connection.
class ServerEndpoint {
 public:
  // The environment outlives the endpoint.
  ServerEndpoint(NetEnvironment& environment, ServerConfig config);

  ServerEvent receive(const Address& from, Bytes datagram, Nanoseconds now);

  // Appends those who were not heard of for too long, and tells those who heard nothing that the
  // server is there. To be called after everything that has come was received.
  void update(Nanoseconds now, std::vector<ServerEvent>& left);

  bool connected(ClientId client) const { return peer(client).connected; }
  // The client has asked to be told of events.
  bool wants_events(ClientId client) const { return peer(client).events; }
  std::uint32_t clients() const { return clients_; }
  // No client has an id above this; it is the most that were connected at one time.
  ClientId highest() const { return ClientId{slots_}; }

  // To a connected client.
  void send(ClientId client, PacketType type, Bytes message, Nanoseconds now);
  // The parts of a snapshot, a datagram each.
  void send_snapshot(ClientId client, std::span<const Bytes> parts, Nanoseconds now);
  void disconnect(ClientId client, message::DisconnectReason reason, Nanoseconds now);

  // A message that the reader of inputs or of queries found unsound.
  void count_malformed() { count(Drop::malformed); }

  const NetCounters& counters() const { return counters_; }

 private:
  struct Peer {
    bool connected = false;
    bool heard = false;  // the client has sent a packet of the connection: it has the accept
    bool events = false;
    Address address{};
    std::uint64_t nonce = 0;
    std::uint64_t connection = 0;
    Acks acks{};
    Nanoseconds last_received = 0;
    Nanoseconds last_sent = 0;
    TokenBucket bucket{1, 1, 0};
    TokenBucket queries{1, 1, 0};
    FloodMeter flood{1, 0};
  };

  // A connection that is over.
  struct Departed {
    Address address{};
    std::uint64_t nonce = 0;
    std::uint64_t connection = 0;
  };

  const Peer& peer(ClientId client) const;
  Peer& peer(ClientId client);

  ServerEvent count(Drop drop);
  ServerEvent on_request(const Address& from, const Packet& packet, std::size_t size,
                         Nanoseconds now);
  ServerEvent on_response(const Address& from, const Packet& packet, Nanoseconds now);
  ServerEvent on_peer_packet(const Address& from, const Packet& packet, Nanoseconds now);
  ServerEvent connect(const Address& from, const message::Response& response, Nanoseconds now);
  ServerEvent remove(ClientId client, message::DisconnectReason reason);

  bool has_departed(const Address& from, std::uint64_t nonce) const;
  bool is_over(const Address& from, std::uint64_t connection) const;
  void accept(ClientId client, Nanoseconds now);
  template <class Message>
  void answer(const Address& to, PacketType type, std::uint64_t connection, const Message& message);
  void append_packet(Peer& to, PacketType type, Bytes message, Nanoseconds now);
  // Sends what datagram_ holds, `size` bytes at a time.
  void send_train(const Address& to, std::size_t size);

  NetEnvironment& environment_;
  const ServerConfig config_;
  const std::uint32_t packet_rate_;  // that a client may sustain, as multiples of it
  std::vector<Peer> peers_;          // client c is at c - 1
  PeerTable table_;
  // A ring of the latest: their cookies are still good for a while, their responses must not be.
  std::vector<Departed> departed_;
  std::size_t next_departed_ = 0;
  TokenBucket strangers_;  // answers to who is not connected
  std::uint32_t clients_ = 0;
  std::uint32_t slots_ = 0;  // that were ever taken: what is beyond need not be looked at
  std::vector<std::uint8_t> datagram_;  // or several, one behind the other
  NetCounters counters_;
};

}  // namespace orrery
