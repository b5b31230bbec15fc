// Implements the server's side of all connections: slots, timeouts and limits.
#include "common/net/server_endpoint.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/net/timing.h"

namespace orrery::net {
namespace {

// Minimum packet rate, so that keep-alives pass even if ticks are slow.
constexpr std::uint32_t kPacketRateMin = 30;

// Packets that arrive later than this after the end of a connection count as a stranger's.
constexpr Nanoseconds kDepartedTime = kSecond;

}  // namespace

ServerEndpoint::ServerEndpoint(NetEnvironment& environment, ServerConfig config, Nanoseconds now)
    : environment_(environment),
      config_(std::move(config)),
      packet_rate_(std::max(config_.tick_rate, kPacketRateMin)),
      gate_(environment, config_.access, config_.clients_max, now),
      peers_(config_.clients_max),
      slots_(config_.clients_max, environment),
      accounts_(config_.clients_max, environment),
      departed_(config_.clients_max, environment) {
  ORRERY_ASSERT(config_.clients_max >= 1 && config_.clients_max <= limits::kClientsMax);
  ORRERY_ASSERT(config_.tick_rate >= 1);
  datagram_.reserve(limits::kBatchDatagramsMax * kPacketBytesMax);
  message_.reserve(kPayloadBytesMax);
  payload_.reserve(kPayloadBytesMax);
}

const ServerEndpoint::Peer& ServerEndpoint::peer(ClientId client) const {
  ORRERY_ASSERT(client.value >= 1 && client.value <= peers_.size());
  return peers_[client.value - 1];
}

ServerEndpoint::Peer& ServerEndpoint::peer(ClientId client) {
  ORRERY_ASSERT(client.value >= 1 && client.value <= peers_.size());
  return peers_[client.value - 1];
}

ReliableChannel& ServerEndpoint::channel(ClientId client) {
  ORRERY_ASSERT(peer(client).channel);
  return *peer(client).channel;
}

const ReliableChannel& ServerEndpoint::channel(ClientId client) const {
  ORRERY_ASSERT(peer(client).channel);
  return *peer(client).channel;
}

ServerEvent ServerEndpoint::count(Drop drop) {
  ++counters_.drops[static_cast<std::size_t>(drop)];
  return {};
}

ServerEvent ServerEndpoint::receive(const Address& from, Bytes datagram, Nanoseconds now) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  if (!datagram.empty() && datagram[0] == static_cast<std::uint8_t>(PacketType::request)) {
    return on_request(from, datagram, now);
  }
  const auto prefix = decode_prefix(datagram);
  if (!prefix) return count(Drop::malformed);
  if (prefix->type == PacketType::denied || prefix->type == PacketType::challenge) {
    return count(Drop::misdirected);
  }
  const std::uint32_t* const slot = slots_.find(from);
  if (prefix->type == PacketType::response) {
    return slot ? count(Drop::connected) : on_response(from, *prefix, datagram, now);
  }
  if (!slot) return count(departed_.find(from) ? Drop::repeated : Drop::stranger);
  return on_peer_packet(ClientId{*slot + 1}, *prefix, datagram, now);
}

// A stranger gets at most one answer, smaller than its request, and only with a valid token.
ServerEvent ServerEndpoint::on_request(const Address& from, Bytes datagram, Nanoseconds now) {
  if (slots_.find(from)) return count(Drop::connected);
  const auto read = gate_.read_request(from, datagram, now);
  if (const Drop* const drop = std::get_if<Drop>(&read)) return count(*drop);
  const PendingClient& applicant = *std::get<const PendingClient*>(read);
  if (accounts_.find(applicant.client_id)) return count(Drop::connected);
  datagram_.clear();
  if (is_full()) {
    ++counters_.denials;
    gate_.deny(applicant, datagram_);
  } else {
    ++counters_.challenges;
    gate_.challenge(applicant, datagram_);
  }
  send_datagram(from);
  return {};
}

ServerEvent ServerEndpoint::on_response(const Address& from, const PacketPrefix& prefix,
                                        Bytes datagram, Nanoseconds now) {
  const PendingClient* const applicant = gate_.find(from);
  if (!applicant) return count(Drop::stranger);
  const auto text = gate_.sealer().open(applicant->receive_key, prefix, datagram, text_);
  if (!text) return count(Drop::impostor);
  if (!gate_.is_challenge_answer(*applicant, *text)) return count(Drop::malformed);
  if (accounts_.find(applicant->client_id)) return count(Drop::connected);
  if (!gate_.has_room()) return count(Drop::flood);
  if (is_full()) {
    ++counters_.denials;
    datagram_.clear();
    gate_.deny(*applicant, datagram_);
    send_datagram(from);
    return {};
  }
  connect(*applicant, now);
  return {};
}

void ServerEndpoint::connect(const PendingClient& applicant, Nanoseconds now) {
  const auto free =
      std::find_if(peers_.begin(), peers_.end(), [](const Peer& p) { return !p.connected; });
  ORRERY_ASSERT(free != peers_.end());
  const auto slot = static_cast<std::uint32_t>(free - peers_.begin());
  *free = Peer{.connected = true,
               .role = applicant.role,
               .address = applicant.address,
               .client_id = applicant.client_id,
               .timeout = static_cast<std::uint64_t>(applicant.timeout_seconds) * kSecond,
               .receive_key = applicant.receive_key,
               .send_key = applicant.send_key,
               .sequences = applicant.sequences,
               .budget = CongestionControl(client_rate_max_),
               .last_received = now,
               .bucket = TokenBucket(kPacketsPerTick * packet_rate_, packet_rate_, now),
               .queries = TokenBucket(kQueriesPerSecond, kQueriesAtOnce, now),
               .flood = FloodMeter(kFloodPacketsPerTick * packet_rate_, now)};
  slots_.insert(applicant.address, slot);
  accounts_.insert(applicant.client_id, slot);
  slots_used_ = std::max(slots_used_, slot + 1);
  gate_.admit(applicant);
  send_keep_alive(ClientId{slot + 1}, now);
}

ServerEvent ServerEndpoint::on_peer_packet(ClientId client, const PacketPrefix& prefix,
                                           Bytes datagram, Nanoseconds now) {
  Peer& p = peer(client);
  if (!p.window.is_new(prefix.sequence)) return count(Drop::repeated);
  const auto text = gate_.sealer().open(p.receive_key, prefix, datagram, text_);
  // Only a sender with the key may use up the client's rate.
  if (!text) return count(Drop::impostor);
  p.window.mark(prefix.sequence);
  if (!p.flood.count(now)) {
    count(Drop::flood);
    return disconnect(client, codec::message::DisconnectReason::flooded, now);
  }
  if (!p.bucket.take(now)) return count(Drop::flood);
  if (p.joined) p.last_received = now;
  if (prefix.type == PacketType::keep_alive) return {};
  if (prefix.type == PacketType::payload) return on_payload(client, *text, now);
  ORRERY_ASSERT(prefix.type == PacketType::disconnect);
  return remove(client, codec::message::DisconnectReason::asked, now);
}

ServerEvent ServerEndpoint::on_payload(ClientId client, Bytes text, Nanoseconds now) {
  Peer& p = peer(client);
  const auto payload = decode_payload(text);
  if (!payload) return count(Drop::malformed);
  const PayloadHeader& header = payload->header;
  p.acks.receive(header.sequence);
  p.path.acknowledged(header.ack, header.ack_bits, now);
  if (p.channel) p.channel->sender.acknowledged(header.ack, header.ack_bits);
  switch (header.type) {
    case MessageType::hello:
      return on_hello(client, payload->message, now);
    case MessageType::input:
      if (!p.joined) return count(Drop::malformed);
      return {.kind = ServerEvent::Kind::input, .client = client, .message = payload->message};
    case MessageType::query:
      if (!p.joined) return count(Drop::malformed);
      if (!p.queries.take(now)) return count(Drop::flood);
      return {.kind = ServerEvent::Kind::query, .client = client, .message = payload->message};
    case MessageType::reliable:
      return on_reliable(client, payload->message, now);
    case MessageType::welcome:
    case MessageType::goodbye:
    case MessageType::snapshot:
    case MessageType::answer:
      break;
  }
  return count(Drop::misdirected);
}

ServerEvent ServerEndpoint::on_reliable(ClientId client, Bytes message, Nanoseconds now) {
  Peer& p = peer(client);
  ByteReader reader(message);
  reader.varint();
  if (!reader.ok() || !p.joined) return count(Drop::malformed);
  if (!follows(client) && reader.at_end()) return {};  // it carries acknowledgements only
  if (!follows(client)) return count(Drop::malformed);
  p.channel->receiver.receive(reader.rest());
  if (!p.channel->receiver.failed()) {
    return {.kind = ServerEvent::Kind::reliable, .client = client};
  }
  count(Drop::malformed);
  return disconnect(client, codec::message::DisconnectReason::unsound, now);
}

// A repeated hello means that the welcome was lost. The query limit applies, because the answer is
// not part of the client's budget.
ServerEvent ServerEndpoint::on_hello(ClientId client, Bytes message, Nanoseconds now) {
  const auto hello = codec::decode_hello(message);
  if (!hello) return count(Drop::malformed);
  if (hello->protocol != kProtocolVersion) {
    return disconnect(client, codec::message::DisconnectReason::other_protocol, now);
  }
  if (hello->schema != codec::protocol_schema_hash()) {
    return disconnect(client, codec::message::DisconnectReason::other_schema, now);
  }
  if (hello->mode == codec::message::Mode::delta) {
    return disconnect(client, codec::message::DisconnectReason::other_mode, now);
  }
  Peer& p = peer(client);
  if (p.joined && !p.queries.take(now)) return count(Drop::flood);
  welcome(client, now);
  if (p.joined) return {};
  p.joined = true;
  const bool follows = hello->mode == codec::message::Mode::follow;
  p.events = hello->events && !follows;
  if (follows) p.channel = ReliableChannel::follow_server();
  if (p.events) p.channel = ReliableChannel::events_server();
  p.last_received = now;
  return {.kind = ServerEvent::Kind::joined, .client = client, .role = p.role};
}

void ServerEndpoint::welcome(ClientId client, Nanoseconds now) {
  message_.clear();
  codec::encode(codec::message::Welcome{client, peer(client).role, config_.tick_rate,
                                        config_.tick_time, config_.scene_bodies, config_.scene},
                message_);
  datagram_.clear();
  append_message(peer(client), MessageType::welcome, message_, now);
  send_datagram(peer(client).address);
}

// Returns an event only if the client had joined.
ServerEvent ServerEndpoint::remove(ClientId client, codec::message::DisconnectReason reason,
                                   Nanoseconds now) {
  Peer& p = peer(client);
  ORRERY_ASSERT(p.connected);
  slots_.erase(p.address);
  if (departed_.find(p.address)) departed_.erase(p.address);
  departed_.insert(p.address, now);  // no effect if the map is full
  accounts_.erase(p.client_id);
  const bool joined = p.joined;
  p = Peer{};
  if (!joined) return {};
  return {.kind = ServerEvent::Kind::left, .client = client, .reason = reason};
}

void ServerEndpoint::update(Nanoseconds now, std::vector<ServerEvent>& left) {
  gate_.update(now);
  departed_.erase_if([now](Nanoseconds ended) { return now - ended > kDepartedTime; });
  for (std::uint32_t slot = 0; slot < slots_used_; ++slot) {
    const Peer& p = peers_[slot];
    if (!p.connected) continue;
    if (p.channel) p.channel->sender.update(p.path, now);
    const ClientId client{slot + 1};
    if (now - p.last_received > p.timeout) {
      const ServerEvent event =
          disconnect(client, codec::message::DisconnectReason::timed_out, now);
      if (event.kind == ServerEvent::Kind::left) left.push_back(event);
    } else if (now - p.last_sent >= kKeepAliveInterval) {
      send_keep_alive(client, now);
    }
  }
}

// The goodbye is first: the disconnect packet of netcode has no reason.
ServerEvent ServerEndpoint::disconnect(ClientId client, codec::message::DisconnectReason reason,
                                       Nanoseconds now) {
  Peer& p = peer(client);
  message_.clear();
  codec::encode(codec::message::Goodbye{reason}, message_);
  for (int i = 0; i < kDisconnectCopies; ++i) {
    datagram_.clear();
    append_message(p, MessageType::goodbye, message_, now);
    send_datagram(p.address);
  }
  for (int i = 0; i < kDisconnectCopies; ++i) {
    datagram_.clear();
    append_packet(p, PacketType::disconnect, {}, now);
    send_datagram(p.address);
  }
  return remove(client, reason, now);
}

void ServerEndpoint::stop(Nanoseconds now) {
  for (std::uint32_t slot = 0; slot < slots_used_; ++slot) {
    if (!peers_[slot].connected) continue;
    disconnect(ClientId{slot + 1}, codec::message::DisconnectReason::server_stopped, now);
  }
}

void ServerEndpoint::refill(ClientId client, Nanoseconds interval, Nanoseconds now) {
  Peer& p = peer(client);
  ORRERY_ASSERT(p.joined);
  p.budget.refill(p.path.take_ack_summary(), interval, now);
}

void ServerEndpoint::send(ClientId client, MessageType type, Bytes message, Nanoseconds now) {
  Peer& p = peer(client);
  ORRERY_ASSERT(p.joined);
  datagram_.clear();
  append_message(p, type, message, now);
  send_datagram(p.address);
}

void ServerEndpoint::send_keep_alive(ClientId client, Nanoseconds now) {
  std::array<std::uint8_t, kKeepAliveBytes> text;
  store_little_endian<4>(text.data(), client.value - 1);
  store_little_endian<4>(text.data() + 4, peers_.size());
  datagram_.clear();
  append_packet(peer(client), PacketType::keep_alive, text, now);
  send_datagram(peer(client).address);
}

void ServerEndpoint::send_snapshot(ClientId client, std::span<const Bytes> parts, Nanoseconds now) {
  ORRERY_ASSERT(!parts.empty());
  Peer& p = peer(client);
  ORRERY_ASSERT(p.joined);
  std::size_t size = 0;
  datagram_.clear();
  for (const Bytes part : parts) {
    size = append_to_train(p, MessageType::snapshot, part, size, now);
  }
  send_train(p.address, size);
}

void ServerEndpoint::queue_reliable(ClientId client, SharedBytes message) {
  ORRERY_ASSERT(message->size() <= kBytesToClientMax);
  channel(client).sender.send(std::move(message));
}

std::size_t ServerEndpoint::send_messages(ClientId client, Sequence input,
                                          std::size_t datagrams_max, Nanoseconds now) {
  ReliableSender& sender = channel(client).sender;
  Peer& p = peer(client);
  std::size_t size = 0;
  std::size_t count = 0;
  datagram_.clear();
  for (; count < datagrams_max; ++count) {
    message_.clear();
    ByteWriter(message_).varint(input.value);
    const std::size_t room = limits::kMessageBytesMax - message_.size();
    if (!sender.append_due(room, p.acks.next(), now, message_)) break;
    size = append_to_train(p, MessageType::reliable, message_, size, now);
  }
  if (count > 0) send_train(p.address, size);
  return count;
}

void ServerEndpoint::send_reliable_within_budget(ClientId client, Sequence input,
                                                 std::size_t datagrams_max, Nanoseconds now) {
  CongestionControl& budget = peer(client).budget;
  const std::size_t most = std::min(datagrams_max, budget.reliable_room());
  const std::uint64_t before = counters_.bytes_sent;
  const std::size_t sent = send_messages(client, input, most, now);
  budget.spend_reliable(sent, counters_.bytes_sent - before);
}

// All datagrams of a train have one size; only the last may be shorter.
std::size_t ServerEndpoint::append_to_train(Peer& to, MessageType type, Bytes message,
                                            std::size_t size, Nanoseconds now) {
  const std::size_t needed =
      packet_bytes(to.sequences.next(), kPayloadHeaderBytes + message.size());
  const bool full = datagram_.size() >= limits::kBatchDatagramsMax * size;
  const bool ended = !datagram_.empty() && datagram_.size() % size != 0;
  if (full || ended || needed > size) {
    if (!datagram_.empty()) send_train(to.address, size);
    datagram_.clear();
    size = needed;
  }
  append_message(to, type, message, now);
  return size;
}

void ServerEndpoint::append_message(Peer& to, MessageType type, Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(kPayloadHeaderBytes + message.size() <= kPayloadBytesMax);
  PayloadHeader header{.type = type};
  to.acks.stamp(header);
  to.path.sent(header.sequence, now);
  payload_.clear();
  encode_payload_header(header, payload_);
  payload_.insert(payload_.end(), message.begin(), message.end());
  append_packet(to, PacketType::payload, payload_, now);
}

void ServerEndpoint::append_packet(Peer& to, PacketType type, Bytes text, Nanoseconds now) {
  ORRERY_ASSERT(to.connected);
  to.last_sent = now;
  const std::size_t before = datagram_.size();
  gate_.sealer().seal(to.send_key, type, to.sequences.take(), text, datagram_);
  to.budget.spend(datagram_.size() - before);
  to.bytes_sent += datagram_.size() - before;
}

void ServerEndpoint::send_train(const Address& to, std::size_t size) {
  ORRERY_ASSERT(size >= 1 && size <= kPacketBytesMax);
  ORRERY_ASSERT(datagram_.size() <= limits::kBatchDatagramsMax * size);
  counters_.datagrams_sent += (datagram_.size() + size - 1) / size;
  counters_.bytes_sent += datagram_.size();
  if (datagram_.size() == size) return environment_.send(to, datagram_);
  environment_.send_train(to, datagram_, size);
}

}  // namespace orrery::net
