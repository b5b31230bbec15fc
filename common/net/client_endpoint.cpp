// Owns the rules of the client's side: handshake and liveness.
#include "common/net/client_endpoint.h"

#include <array>

#include "common/core/limits.h"
#include "common/net/timing.h"

namespace orrery {
namespace {

// A cookie that was not accepted for this long may have expired: a new one is asked for.
constexpr Nanoseconds kCookiePatience = kSecond;

EndReason reason_of(message::DenyReason reason) {
  switch (reason) {
    case message::DenyReason::full:
      return EndReason::full;
    case message::DenyReason::protocol:
      return EndReason::other_protocol;
    case message::DenyReason::schema:
      break;
  }
  return EndReason::other_schema;
}

EndReason reason_of(message::DisconnectReason reason) {
  switch (reason) {
    case message::DisconnectReason::timed_out:
      return EndReason::dropped;
    case message::DisconnectReason::flooded:
      return EndReason::flooded;
    case message::DisconnectReason::asked:
    case message::DisconnectReason::server_stopped:
      break;
  }
  return EndReason::server_stopped;
}

}  // namespace

std::string_view describe(EndReason reason) {
  constexpr std::array<std::string_view, 10> kDescriptions = {
      "is connected",
      "was asked to end the connection",
      "did not answer",
      "fell silent",
      "is full",
      "speaks another version of the protocol",
      "has another schema; build both sides from the same commit",
      "stopped",
      "heard nothing from this client",
      "dropped this client because it sent too much"};
  return kDescriptions[static_cast<std::size_t>(reason)];
}

ClientEndpoint::ClientEndpoint(NetEnvironment& environment, const Address& server, Nanoseconds now,
                               bool events)
    : environment_(environment),
      server_(server),
      nonce_(environment.random()),
      events_(events),
      last_received_(now) {
  datagram_.reserve(limits::kDatagramBytesMax);
  ask(now);
}

std::optional<ServerMessage> ClientEndpoint::receive(const Address& from, Bytes datagram,
                                                     Nanoseconds now) {
  if (state_ == ClientState::ended || from != server_) return std::nullopt;
  const auto packet = decode_packet(datagram);
  if (!packet) return std::nullopt;
  switch (packet->header.type) {
    case PacketType::challenge:
      on_challenge(packet->message, now);
      return std::nullopt;
    case PacketType::accept:
      on_accept(*packet, now);
      return std::nullopt;
    case PacketType::deny:
      on_deny(packet->message);
      return std::nullopt;
    case PacketType::snapshot:
    case PacketType::events:
    case PacketType::answer:
    case PacketType::keep_alive:
    case PacketType::disconnect:
      return on_connection_packet(*packet, now);
    case PacketType::connect_request:
    case PacketType::response:
    case PacketType::input:
    case PacketType::query:
      break;
  }
  return std::nullopt;
}

void ClientEndpoint::on_challenge(Bytes message, Nanoseconds now) {
  if (state_ != ClientState::requesting) return;
  const auto challenge = decode_challenge(message);
  if (!challenge || challenge->nonce != nonce_) return;
  cookie_ = challenge->cookie;
  challenged_at_ = now;
  state_ = ClientState::responding;
  ask(now);
}

void ClientEndpoint::on_accept(const Packet& packet, Nanoseconds now) {
  if (state_ == ClientState::connected || packet.header.connection == 0) return;
  const auto accept = decode_accept(packet.message);
  if (!accept || accept->nonce != nonce_) return;
  accept_ = *accept;
  connection_ = packet.header.connection;
  last_received_ = now;
  state_ = ClientState::connected;
  send(PacketType::keep_alive, {}, now);  // so that the server knows that the accept came
}

void ClientEndpoint::on_deny(Bytes message) {
  if (state_ == ClientState::connected) return;
  const auto deny = decode_deny(message);
  if (deny && deny->nonce == nonce_) end(reason_of(deny->reason));
}

std::optional<ServerMessage> ClientEndpoint::on_connection_packet(const Packet& packet,
                                                                  Nanoseconds now) {
  if (state_ != ClientState::connected || packet.header.connection != connection_) {
    return std::nullopt;
  }
  if (!acks_.receive(packet.header.sequence)) return std::nullopt;
  last_received_ = now;
  const PacketType type = packet.header.type;
  if (type == PacketType::keep_alive) return std::nullopt;
  if (type != PacketType::disconnect) return ServerMessage{type, packet.message};
  if (const auto m = decode_disconnect(packet.message)) end(reason_of(m->reason));
  return std::nullopt;
}

void ClientEndpoint::end(EndReason reason) {
  ORRERY_ASSERT(state_ != ClientState::ended);
  state_ = ClientState::ended;
  end_reason_ = reason;
}

void ClientEndpoint::update(Nanoseconds now) {
  if (state_ == ClientState::ended) return;
  const bool connected = state_ == ClientState::connected;
  if (now - last_received_ > kTimeout) {
    return end(connected ? EndReason::timed_out : EndReason::no_answer);
  }
  if (connected) {
    if (now - last_sent_ >= kKeepAliveInterval) send(PacketType::keep_alive, {}, now);
    return;
  }
  if (state_ == ClientState::responding && now - challenged_at_ > kCookiePatience) {
    state_ = ClientState::requesting;
  }
  if (now - last_sent_ >= kHandshakeInterval) ask(now);
}

void ClientEndpoint::ask(Nanoseconds now) {
  last_sent_ = now;
  datagram_.clear();
  if (state_ == ClientState::requesting) {
    encode_packet_header({.type = PacketType::connect_request}, datagram_);
    encode(message::ConnectRequest{kProtocolVersion, protocol_schema_hash(), nonce_}, datagram_);
    datagram_.resize(limits::kConnectRequestBytes, 0);
  } else {
    ORRERY_ASSERT(state_ == ClientState::responding);
    encode_packet_header({.type = PacketType::response}, datagram_);
    encode(message::Response{nonce_, cookie_, events_}, datagram_);
  }
  environment_.send(server_, datagram_);
}

void ClientEndpoint::send_input(Bytes message, Nanoseconds now) {
  send(PacketType::input, message, now);
}

void ClientEndpoint::send_query(Bytes message, Nanoseconds now) {
  send(PacketType::query, message, now);
}

void ClientEndpoint::disconnect(Nanoseconds now) {
  if (state_ == ClientState::ended) return;
  if (state_ == ClientState::connected) {
    std::vector<std::uint8_t> message;
    encode(message::Disconnect{message::DisconnectReason::asked}, message);
    for (int i = 0; i < kDisconnectCopies; ++i) send(PacketType::disconnect, message, now);
  }
  end(EndReason::asked);
}

void ClientEndpoint::send(PacketType type, Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  PacketHeader header{.type = type, .connection = connection_};
  acks_.stamp(header);
  last_sent_ = now;
  datagram_.clear();
  encode_packet_header(header, datagram_);
  datagram_.insert(datagram_.end(), message.begin(), message.end());
  environment_.send(server_, datagram_);
}

}  // namespace orrery
