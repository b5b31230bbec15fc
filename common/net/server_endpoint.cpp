// Owns the rules of the server's side: handshake, liveness, limits.
#include "common/net/server_endpoint.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/net/cookie.h"
#include "common/net/timing.h"

namespace orrery {
namespace {

// Keep-alives must pass even where ticks are slow.
constexpr std::uint32_t kPacketRateMin = 30;

}  // namespace

std::string_view drop_name(Drop drop) {
  constexpr std::array<std::string_view, kDrops> kNames = {
      "malformed", "misdirected", "stranger", "impostor", "repeated", "bad_cookie", "flood"};
  return kNames[static_cast<std::size_t>(drop)];
}

ServerEndpoint::ServerEndpoint(NetEnvironment& environment, ServerConfig config)
    : environment_(environment),
      config_(std::move(config)),
      packet_rate_(std::max(config_.tick_rate, kPacketRateMin)),
      peers_(config_.clients_max),
      table_(config_.clients_max, environment.random()),
      departed_(config_.clients_max),
      strangers_(kStrangerAnswersPerSecond, kStrangerAnswersAtOnce, 0) {
  ORRERY_ASSERT(config_.clients_max >= 1 && config_.clients_max <= limits::kClientsMax);
  ORRERY_ASSERT(config_.tick_rate >= 1);
  datagram_.reserve(limits::kTrainDatagramsMax * limits::kDatagramBytesMax);
}

const ServerEndpoint::Peer& ServerEndpoint::peer(ClientId client) const {
  ORRERY_ASSERT(client.value >= 1 && client.value <= peers_.size());
  return peers_[client.value - 1];
}

ServerEndpoint::Peer& ServerEndpoint::peer(ClientId client) {
  ORRERY_ASSERT(client.value >= 1 && client.value <= peers_.size());
  return peers_[client.value - 1];
}

ServerEvent ServerEndpoint::count(Drop drop) {
  ++counters_.drops[static_cast<std::size_t>(drop)];
  return {};
}

ServerEvent ServerEndpoint::receive(const Address& from, Bytes datagram, Nanoseconds now) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  const auto packet = decode_packet(datagram);
  if (!packet) return count(Drop::malformed);
  switch (packet->header.type) {
    case PacketType::connect_request:
      return on_request(from, *packet, datagram.size(), now);
    case PacketType::response:
      return on_response(from, *packet, now);
    case PacketType::input:
    case PacketType::keep_alive:
    case PacketType::disconnect:
    case PacketType::query:
      return on_peer_packet(from, *packet, now);
    case PacketType::challenge:
    case PacketType::accept:
    case PacketType::deny:
    case PacketType::snapshot:
    case PacketType::events:
    case PacketType::answer:
      break;
  }
  return count(Drop::misdirected);
}

// A stranger costs one answer that is smaller than what it sent, and no memory.
ServerEvent ServerEndpoint::on_request(const Address& from, const Packet& packet, std::size_t size,
                                       Nanoseconds now) {
  if (size != limits::kConnectRequestBytes) return count(Drop::malformed);
  const auto request = decode_connect_request(packet.message);
  if (!request) return count(Drop::malformed);
  if (!strangers_.take(now)) return count(Drop::flood);
  const auto deny = [&](message::DenyReason reason) {
    ++counters_.denials;
    answer(from, PacketType::deny, 0, message::Deny{request->nonce, reason});
    return ServerEvent{};
  };
  if (request->protocol != kProtocolVersion) return deny(message::DenyReason::protocol);
  if (request->schema != protocol_schema_hash()) return deny(message::DenyReason::schema);
  ++counters_.challenges;
  const message::Cookie cookie = make_cookie(environment_, from, request->nonce, now);
  answer(from, PacketType::challenge, 0, message::Challenge{request->nonce, cookie});
  return {};
}

ServerEvent ServerEndpoint::on_response(const Address& from, const Packet& packet,
                                        Nanoseconds now) {
  const auto response = decode_response(packet.message);
  if (!response) return count(Drop::malformed);
  if (!is_cookie(environment_, response->cookie, from, response->nonce, now)) {
    return count(Drop::bad_cookie);
  }
  const std::uint32_t slot = table_.find(from);
  if (slot == PeerTable::kNone) {
    if (has_departed(from, response->nonce)) return count(Drop::repeated);
    return connect(from, *response, now);
  }
  // The accept was lost; or an old datagram, or another attempt from an address that is connected.
  if (peers_[slot].nonce != response->nonce || peers_[slot].heard) return count(Drop::repeated);
  accept(ClientId{slot + 1}, now);
  return {};
}

ServerEvent ServerEndpoint::connect(const Address& from, const message::Response& response,
                                    Nanoseconds now) {
  if (clients_ == config_.clients_max) {
    if (!strangers_.take(now)) return count(Drop::flood);
    ++counters_.denials;
    answer(from, PacketType::deny, 0, message::Deny{response.nonce, message::DenyReason::full});
    return {};
  }
  const auto free =
      std::find_if(peers_.begin(), peers_.end(), [](const Peer& p) { return !p.connected; });
  ORRERY_ASSERT(free != peers_.end());
  const auto slot = static_cast<std::uint32_t>(free - peers_.begin());
  *free = Peer{.connected = true,
               .events = response.events,
               .address = from,
               .nonce = response.nonce,
               .connection = environment_.random() | 1,  // 0 means none
               .last_received = now,
               .bucket = TokenBucket(kPacketsPerTick * packet_rate_, packet_rate_, now),
               .queries = TokenBucket(kQueriesPerSecond, kQueriesAtOnce, now),
               .flood = FloodMeter(kFloodPacketsPerTick * packet_rate_, now)};
  table_.insert(from, slot);
  ++clients_;
  slots_ = std::max(slots_, slot + 1);
  const ClientId client{slot + 1};
  accept(client, now);
  return {.kind = ServerEvent::Kind::joined, .client = client};
}

// Each attempt to connect has a nonce of its own: one that was used makes no second connection.
bool ServerEndpoint::has_departed(const Address& from, std::uint64_t nonce) const {
  return std::any_of(departed_.begin(), departed_.end(),
                     [&](const Departed& d) { return d.nonce == nonce && d.address == from; });
}

// Who leaves says goodbye in several copies, and what was on its way may come after the first.
bool ServerEndpoint::is_over(const Address& from, std::uint64_t connection) const {
  return connection != 0 && std::any_of(departed_.begin(), departed_.end(), [&](const Departed& d) {
           return d.connection == connection && d.address == from;
         });
}

void ServerEndpoint::accept(ClientId client, Nanoseconds now) {
  Peer& p = peer(client);
  p.last_sent = now;
  answer(p.address, PacketType::accept, p.connection,
         message::Accept{p.nonce, client, config_.tick_rate, config_.tick_time,
                         config_.scene_bodies, config_.scene});
}

ServerEvent ServerEndpoint::on_peer_packet(const Address& from, const Packet& packet,
                                           Nanoseconds now) {
  const std::uint32_t slot = table_.find(from);
  if (slot == PeerTable::kNone) {
    return count(is_over(from, packet.header.connection) ? Drop::repeated : Drop::stranger);
  }
  Peer& p = peers_[slot];
  const ClientId client{slot + 1};
  // Only who knows the number of the connection can use up what its client may send.
  if (packet.header.connection != p.connection) return count(Drop::impostor);
  if (!p.flood.count(now)) {
    count(Drop::flood);
    disconnect(client, message::DisconnectReason::flooded, now);
    return {.kind = ServerEvent::Kind::left,
            .client = client,
            .reason = message::DisconnectReason::flooded};
  }
  if (!p.bucket.take(now)) return count(Drop::flood);
  if (!p.acks.receive(packet.header.sequence)) return count(Drop::repeated);
  p.last_received = now;
  p.heard = true;
  if (packet.header.type == PacketType::input) {
    return {.kind = ServerEvent::Kind::input, .client = client, .message = packet.message};
  }
  if (packet.header.type == PacketType::query) {
    if (!p.queries.take(now)) return count(Drop::flood);
    return {.kind = ServerEvent::Kind::query, .client = client, .message = packet.message};
  }
  if (packet.header.type == PacketType::keep_alive) return {};
  if (!decode_disconnect(packet.message)) return count(Drop::malformed);
  return remove(client, message::DisconnectReason::asked);
}

ServerEvent ServerEndpoint::remove(ClientId client, message::DisconnectReason reason) {
  Peer& p = peer(client);
  ORRERY_ASSERT(p.connected && clients_ >= 1);
  table_.erase(p.address);
  departed_[next_departed_] = {p.address, p.nonce, p.connection};
  next_departed_ = (next_departed_ + 1) % departed_.size();
  p = Peer{};
  --clients_;
  return {.kind = ServerEvent::Kind::left, .client = client, .reason = reason};
}

void ServerEndpoint::update(Nanoseconds now, std::vector<ServerEvent>& left) {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const Peer& p = peers_[slot];
    if (!p.connected) continue;
    const ClientId client{slot + 1};
    if (now - p.last_received > kTimeout) {
      disconnect(client, message::DisconnectReason::timed_out, now);
      left.push_back({.kind = ServerEvent::Kind::left,
                      .client = client,
                      .reason = message::DisconnectReason::timed_out});
    } else if (now - p.last_sent >= kKeepAliveInterval) {
      send(client, PacketType::keep_alive, {}, now);
    }
  }
}

void ServerEndpoint::disconnect(ClientId client, message::DisconnectReason reason,
                                Nanoseconds now) {
  std::vector<std::uint8_t> message;
  encode(message::Disconnect{reason}, message);
  for (int i = 0; i < kDisconnectCopies; ++i) send(client, PacketType::disconnect, message, now);
  remove(client, reason);
}

void ServerEndpoint::send(ClientId client, PacketType type, Bytes message, Nanoseconds now) {
  Peer& p = peer(client);
  datagram_.clear();
  append_packet(p, type, message, now);
  send_train(p.address, datagram_.size());
}

void ServerEndpoint::send_snapshot(ClientId client, std::span<const Bytes> parts, Nanoseconds now) {
  ORRERY_ASSERT(!parts.empty());
  Peer& p = peer(client);
  // Datagrams of a train have one size; only its last may be shorter.
  std::size_t size = kPacketHeaderBytes + parts.front().size();
  datagram_.clear();
  for (const Bytes part : parts) {
    const bool full = datagram_.size() >= limits::kTrainDatagramsMax * size;
    const bool ended = datagram_.size() % size != 0;
    if (full || ended || kPacketHeaderBytes + part.size() > size) {
      send_train(p.address, size);
      datagram_.clear();
      size = kPacketHeaderBytes + part.size();
    }
    append_packet(p, PacketType::snapshot, part, now);
  }
  send_train(p.address, size);
}

void ServerEndpoint::append_packet(Peer& to, PacketType type, Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(to.connected);
  ORRERY_ASSERT(kPacketHeaderBytes + message.size() <= limits::kDatagramBytesMax);
  PacketHeader header{.type = type, .connection = to.connection};
  to.acks.stamp(header);
  to.last_sent = now;
  encode_packet_header(header, datagram_);
  datagram_.insert(datagram_.end(), message.begin(), message.end());
}

template <class Message>
void ServerEndpoint::answer(const Address& to, PacketType type, std::uint64_t connection,
                            const Message& message) {
  datagram_.clear();
  encode_packet_header({.type = type, .connection = connection}, datagram_);
  encode(message, datagram_);
  send_train(to, datagram_.size());
}

void ServerEndpoint::send_train(const Address& to, std::size_t size) {
  ORRERY_ASSERT(size >= kPacketHeaderBytes && size <= limits::kDatagramBytesMax);
  ORRERY_ASSERT(datagram_.size() <= limits::kTrainDatagramsMax * size);
  counters_.datagrams_sent += (datagram_.size() + size - 1) / size;
  counters_.bytes_sent += datagram_.size();
  if (datagram_.size() == size) return environment_.send(to, datagram_);
  environment_.send_train(to, datagram_, size);
}

}  // namespace orrery
