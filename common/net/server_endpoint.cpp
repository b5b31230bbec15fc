// Implements the server's side of all connections: slots, timeouts and limits.
#include "common/net/server_endpoint.h"

#include <algorithm>
#include <utility>

#include "common/core/limits.h"
#include "common/net/server_moves.h"
#include "common/net/timing.h"

namespace orrery::net {
namespace {

// The packet limits are multiples of the tick rate, or of this rate if ticks are slower.
// Keep-alives thus stay within the limits in every session.
constexpr std::uint32_t kPacketRateMin = 30;

// A message of type reliable that says nothing.
constexpr std::uint8_t kNoReport[] = {0, 0};

std::uint32_t packets_per_second(const ServerConfig& config) {
  return std::max(config.tick_rate, kPacketRateMin);
}

// Returns true if a client whose connection the server ended may connect again with a ticket. A
// client that was replaced may not, but its account has tickets of the newer connection.
bool may_return(EndReason reason) {
  return reason == EndReason::timed_out || reason == EndReason::too_slow ||
         reason == EndReason::replaced;
}

void encode_welcome(const ServerConfig& c, ClientId client, const ServerPeer& p,
                    std::vector<std::uint8_t>& out) {
  const std::uint64_t account = c.access.key_is_fresh ? 0 : p.owner.client_id;
  codec::encode(
      codec::message::Welcome{client, p.role, c.tick_rate, c.tick_time, c.scene_bodies, c.scene,
                              c.scene_bytes, c.epoch, account, c.interest_radius, c.frames},
      out);
}

}  // namespace

ServerEndpoint::ServerEndpoint(NetEnvironment& environment, ServerConfig config, Nanoseconds now)
    : config_(std::move(config)),
      gate_(environment, config_.access, config_.clients_max, now),
      peers_(config_.clients_max, environment),
      out_(environment, gate_.sealer(), limits::kBatchDatagramsMax) {
  ORRERY_ASSERT(config_.tick_rate >= 1 && config_.tick_time > 0);
  message_.reserve(kPayloadBytesMax);
}

NetCounters ServerEndpoint::counters() const {
  NetCounters counters = counters_;
  counters.datagrams_sent = out_.datagrams_sent();
  counters.bytes_sent = out_.bytes_sent();
  return counters;
}

ServerEvent ServerEndpoint::drop(Drop reason) {
  ORRERY_ASSERT(static_cast<std::size_t>(reason) < counters_.drops.size());
  ++counters_.drops[static_cast<std::size_t>(reason)];
  return {};
}

ServerEvent ServerEndpoint::receive(const Address& from, Bytes datagram, Nanoseconds now) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  const auto type = static_cast<PacketType>(datagram.empty() ? 0xff : datagram[0]);
  if (type == PacketType::request) return on_request(from, datagram, now);
  if (type == PacketType::move) {
    const auto read = read_move(gate_, peers_, from, datagram);
    if (const Drop* const reason = std::get_if<Drop>(&read)) return drop(*reason);
    const auto& application = std::get<Application>(read);
    if (application.refusal) return refuse(application.applicant, *application.refusal, now);
    ++counters_.challenges;
    out_.send(from, [&](auto& out) { gate_.challenge(application.applicant, out); });
    return {};
  }
  if (type == PacketType::moved) {
    const auto moved = move_client(gate_, peers_, from, datagram, text_, now);
    if (const Drop* const reason = std::get_if<Drop>(&moved)) return drop(*reason);
    const ClientId client = std::get<ClientId>(moved);
    peers_[client].budget = CongestionControl(config_.client_limits.bytes_per_second);
    peers_[client].narrowed = false;
    ++counters_.moves;
    send_keep_alive(client, now);
    return {.kind = ServerEvent::Kind::moved, .client = client};
  }
  const auto prefix = decode_prefix(datagram);
  if (!prefix) return drop(Drop::malformed);
  if (prefix->type == PacketType::denied || prefix->type == PacketType::challenge) {
    return drop(Drop::misdirected);
  }
  if (prefix->type == PacketType::response) return on_response(from, *prefix, datagram, now);
  const std::optional<ClientId> client = peers_.find(from);
  if (!client) return drop(peers_.left_recently(from) ? Drop::repeated : Drop::stranger);
  return on_peer_packet(*client, *prefix, datagram, now);
}

// A stranger gets at most one answer to a request. The answer is smaller than the request, and is
// sent only if the server's key opens the token.
ServerEvent ServerEndpoint::on_request(const Address& from, Bytes datagram, Nanoseconds now) {
  const auto read = gate_.read_request(from, datagram);
  if (const Drop* const reason = std::get_if<Drop>(&read)) return drop(*reason);
  const auto& application = std::get<Application>(read);
  const PendingClient& applicant = application.applicant;
  const std::optional<EndReason>& refusal = application.refusal;
  const std::optional<ClientId> there = peers_.find(from);
  if (there && peers_[*there].owner.client_id != applicant.owner.client_id) {
    return drop(Drop::connected);
  }
  // The request may be a late copy of the one that made the connection at this address, so it gets
  // no answer.
  if (there && refusal) return drop(drop_of(*refusal));
  if (refusal) return refuse(applicant, *refusal, now);
  const std::optional<ClientId> older = peers_.find(applicant.owner.client_id);
  if (older && peers_[*older].owner.created > applicant.owner.created) {
    return refuse(applicant, EndReason::refused_superseded, now);
  }
  if (const auto reason = gate_.add(applicant, now)) return drop(*reason);
  if (!older && peers_.is_full()) return refuse(applicant, EndReason::full, now);
  ++counters_.challenges;
  out_.send(from, [&](auto& out) { gate_.challenge(applicant, out); });
  return {};
}

ServerEvent ServerEndpoint::on_response(const Address& from, const PacketPrefix& prefix,
                                        Bytes datagram, Nanoseconds now) {
  const auto read = gate_.read_response(from, prefix, datagram);
  if (const Drop* const reason = std::get_if<Drop>(&read)) {
    return drop(peers_.contains(from) ? Drop::connected : *reason);
  }
  const auto& applicant = std::get<PendingClient>(read);
  const std::optional<ClientId> there = peers_.find(from);
  if (there && peers_[*there].owner.client_id != applicant.owner.client_id) {
    return drop(Drop::connected);
  }
  // The ban may be newer than the request.
  if (config_.access.bans->contains(applicant.owner.client_id)) return drop(Drop::banned);
  if (!gate_.has_room(applicant) || !gate_.may_connect(from, now)) return drop(Drop::flood);
  const std::optional<ClientId> older = peers_.find(applicant.owner.client_id);
  if (!older && peers_.is_full()) return refuse(applicant, EndReason::full, now);
  if (!older) {
    connect(applicant, peers_.lowest_free(), now);
    return {};
  }
  // The answer proves that the client is at this address. Only now may the older connection end.
  ORRERY_ASSERT(peers_[*older].owner.created <= applicant.owner.created);
  ++counters_.replacements;
  const ServerEvent left = disconnect(*older, {EndReason::replaced}, now);
  connect(applicant, *older, now);
  return left;
}

// Sends a denial with the reason, if Gate::may_explain() allows it. A full server always sends one.
ServerEvent ServerEndpoint::refuse(const PendingClient& applicant, EndReason refusal,
                                   Nanoseconds now) {
  const bool full = refusal == EndReason::full;
  if (full) ++counters_.denials;
  if (full || gate_.may_explain(now)) {
    out_.send(applicant.address, [&](auto& out) { gate_.deny(applicant, refusal, out); });
  }
  return full ? ServerEvent{} : drop(drop_of(refusal));
}

void ServerEndpoint::connect(const PendingClient& applicant, ClientId client, Nanoseconds now) {
  const std::uint32_t rate = packets_per_second(config_);
  peers_.add(client,
             {.connected = true,
              .role = static_cast<Role>(applicant.owner.user_data[0]),
              .owner = applicant.owner,
              .seal = applicant.seal,
              .timeout = static_cast<std::uint64_t>(applicant.owner.timeout_seconds) * kSecond,
              .link = Link(applicant.address, applicant.keys, applicant.sequences, now),
              .budget = CongestionControl(config_.client_limits.bytes_per_second),
              .packets = TokenBucket(kPacketsPerTick * rate, rate, now),
              .queries = TokenBucket(kQueriesPerSecond, kQueriesAtOnce, now),
              .flood = FloodMeter(kFloodPacketsPerTick * rate, now)});
  peers_[client].link.path().datagrams() = DatagramLimit(config_.client_limits.datagram_bytes);
  gate_.admit(applicant);
  send_keep_alive(client, now);
}

ServerEvent ServerEndpoint::on_peer_packet(ClientId client, const PacketPrefix& prefix,
                                           Bytes datagram, Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.connected);
  const auto opened = p.link.open(gate_.sealer(), prefix, datagram, text_);
  // Packets that do not open are not counted: only a sender with the key may use up the client's
  // rate.
  if (const Drop* const reason = std::get_if<Drop>(&opened)) return drop(*reason);
  if (!p.flood.count(now)) {
    drop(Drop::flood);
    return disconnect(client, {EndReason::flooded}, now);
  }
  Bytes text = std::get<Bytes>(opened);
  if (prefix.type == PacketType::piece) {
    const auto piece = decode_piece(prefix.sequence, text);
    if (!piece) return drop(Drop::malformed);
    const auto whole = p.pieces.take(*piece);
    if (!whole) return {};
    text = *whole;
  }
  if (!p.packets.take(now)) return drop(Drop::flood);
  if (p.joined) p.link.hear(now);
  if (prefix.type == PacketType::keep_alive) return {};
  if (prefix.type != PacketType::disconnect) return on_payload(client, text, now);
  gate_.revoke_tickets(p.owner.client_id);  // the client says that it does not come back
  return remove(client, EndReason::asked, now);
}

ServerEvent ServerEndpoint::on_payload(ClientId client, Bytes text, Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.connected);
  const auto payload = decode_payload(text);
  if (!payload) return drop(Drop::malformed);
  if (!p.link.record(payload->header, now)) {
    drop(Drop::false_ack);
    return disconnect(client, {EndReason::false_ack}, now);
  }
  switch (payload->header.type) {
    case MessageType::hello:
      return on_hello(client, payload->message, now);
    case MessageType::input:
      if (!p.joined) return drop(Drop::malformed);
      return {.kind = ServerEvent::Kind::input, .client = client, .message = payload->message};
    case MessageType::query:
      if (!p.joined) return drop(Drop::malformed);
      if (!p.queries.take(now)) return drop(Drop::flood);
      return {.kind = ServerEvent::Kind::query, .client = client, .message = payload->message};
    case MessageType::frame_ack:
      if (!p.joined) return drop(Drop::malformed);
      return {.kind = ServerEvent::Kind::frame_ack, .client = client, .message = payload->message};
    case MessageType::reliable:
      return on_reliable(client, payload->message, now);
    case MessageType::delta:
    case MessageType::welcome:
    case MessageType::goodbye:
    case MessageType::snapshot:
    case MessageType::answer:
    case MessageType::ticket:
      break;
  }
  return drop(Drop::misdirected);
}

ServerEvent ServerEndpoint::on_reliable(ClientId client, Bytes message, Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ByteReader reader(message);
  reader.varint();  // skips the command report and its margin, which only a server fills in
  reader.varint();
  if (!reader.ok() || !p.joined) return drop(Drop::malformed);
  if (!p.follows && reader.at_end()) return {};  // it carries acknowledgements only
  if (!p.follows) return drop(Drop::malformed);
  p.link.receiver().receive(reader.rest());
  if (!p.link.receiver().failed()) {
    return {.kind = ServerEvent::Kind::reliable, .client = client};
  }
  drop(Drop::malformed);
  return disconnect(client, {EndReason::unsound}, now);
}

// A repeated hello means that the client has not received the welcome yet. The limit on queries
// also limits repeated hellos, because the welcome is sent even when the client's send rate
// (ServerPeer::budget) is used up.
ServerEvent ServerEndpoint::on_hello(ClientId client, Bytes message, Nanoseconds now) {
  const auto hello = codec::decode_hello(message);
  if (!hello) return drop(Drop::malformed);
  if (hello->protocol != kProtocolVersion) {
    return disconnect(client, {EndReason::other_protocol}, now);
  }
  if (hello->schema != codec::protocol_schema_hash()) {
    return disconnect(client, {EndReason::other_schema}, now);
  }
  ServerPeer& p = peers_[client];
  if (p.joined && !p.queries.take(now)) return drop(Drop::flood);
  message_.clear();
  encode_welcome(config_, client, p, message_);
  append(p, MessageType::welcome, message_, now);
  out_.flush();
  if (p.joined) return {};
  p.joined = true;
  p.follows = hello->mode == codec::message::Mode::follow;
  p.delta = hello->mode == codec::message::Mode::delta;
  p.events = hello->events && !p.follows;
  p.link.enable(p.follows ? ReliableChannel::follow_server() : ReliableChannel::plain_server());
  p.link.hear(now);
  return {.kind = ServerEvent::Kind::joined, .client = client, .role = p.role};
}

ServerEvent ServerEndpoint::remove(ClientId client, EndReason reason, Nanoseconds now) {
  ORRERY_ASSERT(peers_[client].connected);
  const bool joined = peers_[client].joined;
  peers_.remove(client, now);
  if (!joined) return {};
  return {.kind = ServerEvent::Kind::left, .client = client, .reason = reason};
}

void ServerEndpoint::update(Nanoseconds now, std::vector<ServerEvent>& events) {
  gate_.update(now);
  peers_.update(now);
  for (ClientId client{1}; client <= peers_.highest(); ++client.value) {
    ServerPeer& p = peers_[client];
    if (!p.connected) continue;
    p.link.update(now);
    if (p.link.silence(now) > p.timeout) {
      const ServerEvent event = disconnect(client, {EndReason::timed_out}, now);
      if (event.kind == ServerEvent::Kind::left) events.push_back(event);
      continue;
    }
    if (p.joined && now >= p.ticket_at && gate_.write_ticket(p.owner, message_)) {
      append(p, MessageType::ticket, message_, now);
      out_.flush();
      p.ticket_at = now + p.ticket_interval;
      p.ticket_interval = std::min(2 * p.ticket_interval, kTicketIntervalMax);
    }
    if (p.link.quiet(now) >= kKeepAliveInterval) send_keep_alive(client, now);
    if (p.joined && p.link.path().datagrams().wants_small(now)) {
      append(p, MessageType::reliable, kNoReport, now);
      out_.flush();
    }
    if (p.joined && p.link.path().datagrams().drops_larger() && !std::exchange(p.narrowed, true)) {
      p.budget = CongestionControl(config_.client_limits.bytes_per_second);  // no congestion so far
      events.push_back({.kind = ServerEvent::Kind::narrowed, .client = client});
    }
  }
}

// The disconnect packet of netcode has no reason. The goodbye with the reason is sent before it,
// because the disconnect packet ends the connection.
ServerEvent ServerEndpoint::disconnect(ClientId client, const codec::message::Goodbye& goodbye,
                                       Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.connected);
  if (!may_return(goodbye.reason)) gate_.revoke_tickets(p.owner.client_id);
  message_.clear();
  codec::encode(goodbye, message_);
  for (int i = 0; i < kDisconnectCopies; ++i) {
    append(p, MessageType::goodbye, message_, now);
    out_.flush();
  }
  for (int i = 0; i < kDisconnectCopies; ++i) {
    append(p, PacketType::disconnect, Bytes(), now);
    out_.flush();
  }
  return remove(client, goodbye.reason, now);
}

void ServerEndpoint::stop(Nanoseconds now) {
  for (ClientId client{1}; client <= peers_.highest(); ++client.value) {
    if (!peers_[client].connected) continue;
    disconnect(client, {EndReason::server_stopped}, now);
  }
}

}  // namespace orrery::net
