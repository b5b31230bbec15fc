// Implements the client's side of a connection: handshake, timeouts, acknowledgements.
#include "common/net/client_endpoint.h"

#include <algorithm>

#include "common/net/timing.h"

namespace orrery::net {
namespace {

EndReason reason_of(codec::message::DisconnectReason reason) {
  switch (reason) {
    case codec::message::DisconnectReason::timed_out:
      return EndReason::dropped;
    case codec::message::DisconnectReason::flooded:
      return EndReason::flooded;
    case codec::message::DisconnectReason::other_protocol:
      return EndReason::other_protocol;
    case codec::message::DisconnectReason::other_schema:
      return EndReason::other_schema;
    case codec::message::DisconnectReason::other_mode:
      return EndReason::other_mode;
    case codec::message::DisconnectReason::too_slow:
      return EndReason::too_slow;
    case codec::message::DisconnectReason::unsound:
      return EndReason::unsound_client;
    case codec::message::DisconnectReason::asked:
    case codec::message::DisconnectReason::server_stopped:
      break;
  }
  return EndReason::server_stopped;
}

Nanoseconds timeout_of(const ConnectToken& token) {
  return static_cast<std::uint64_t>(std::max(0, token.timeout_seconds)) * kSecond;
}

std::unique_ptr<ReliableChannel> channel_of(codec::message::Mode mode, bool events) {
  if (mode == codec::message::Mode::follow) return ReliableChannel::follow_client();
  return events ? ReliableChannel::events_client() : nullptr;
}

// Returns the token's lifetime, at most a century so that nanoseconds do not overflow.
Nanoseconds life_of(const ConnectToken& token) {
  constexpr std::uint64_t kCentury = 3'155'760'000;
  return std::min(token.head.expires - token.created, kCentury) * kSecond;
}

}  // namespace

std::string_view describe(EndReason reason) {
  constexpr std::array<std::string_view, 15> kDescriptions = {
      "is connected",
      "was asked to end the connection",
      "did not answer",
      "fell silent",
      "is full",
      "did not answer until the token expired",
      "speaks another version of the protocol",
      "has another schema; build both sides from the same commit",
      "stopped",
      "heard nothing from this client",
      "dropped this client because it sent too much",
      "cannot let a client follow this world",
      "dropped this client because it fell too far behind",
      "did not understand this client",
      "sent what means nothing"};
  return kDescriptions[static_cast<std::size_t>(reason)];
}

ClientEndpoint::ClientEndpoint(NetEnvironment& environment, const ConnectToken& token,
                               Nanoseconds now, bool events, codec::message::Mode mode)
    : environment_(environment),
      token_(token),
      sealer_(environment.cipher(), token.head.protocol_id),
      timeout_(timeout_of(token)),
      connect_until_(now + life_of(token)),
      events_(events),
      mode_(mode),
      sequence_(token.first_sequence),
      channel_(channel_of(mode, events)),
      last_received_(now) {
  ORRERY_ASSERT(token_.servers.size() >= 1 && token_.created <= token_.head.expires);
  message_.reserve(kPayloadBytesMax);
  payload_.reserve(kPayloadBytesMax);
  datagram_.reserve(kPacketBytesMax);
  speak(now);
}

std::optional<ServerMessage> ClientEndpoint::receive(const Address& from, Bytes datagram,
                                                     Nanoseconds now) {
  if (state_ == ClientState::ended || from != server()) return std::nullopt;
  const auto prefix = decode_prefix(datagram);
  if (!prefix || prefix->type == PacketType::response) return std::nullopt;
  const bool of_handshake =
      prefix->type == PacketType::denied || prefix->type == PacketType::challenge;
  if (!of_handshake && !window_.is_new(prefix->sequence)) return std::nullopt;
  const auto text = sealer_.open(token_.server_to_client, *prefix, datagram, text_);
  if (!text) return std::nullopt;
  if (!of_handshake) window_.mark(prefix->sequence);
  const bool has_slot = state_ == ClientState::greeting || state_ == ClientState::connected;
  if (has_slot && !of_handshake) last_received_ = now;
  switch (prefix->type) {
    case PacketType::challenge:
      on_challenge(*text, now);
      break;
    case PacketType::denied:
      if (!has_slot) next_server(EndReason::full, now);
      break;
    case PacketType::keep_alive:
      on_keep_alive(now);
      break;
    case PacketType::payload:
      if (has_slot) return on_payload(*text, now);
      break;
    case PacketType::disconnect:
      if (has_slot) end(EndReason::server_stopped);
      break;
    case PacketType::request:
    case PacketType::response:
      break;
  }
  return std::nullopt;
}

void ClientEndpoint::on_challenge(Bytes text, Nanoseconds now) {
  if (state_ != ClientState::requesting) return;
  std::copy(text.begin(), text.end(), challenge_.begin());
  last_received_ = now;
  state_ = ClientState::responding;
  speak(now);
}

// The server has given this client a slot.
void ClientEndpoint::on_keep_alive(Nanoseconds now) {
  if (state_ != ClientState::responding) return;
  last_received_ = now;
  state_ = ClientState::greeting;
  speak(now);
}

std::optional<ServerMessage> ClientEndpoint::on_payload(Bytes text, Nanoseconds now) {
  const auto payload = decode_payload(text);
  if (!payload) return std::nullopt;
  const PayloadHeader& header = payload->header;
  // A reliable message that overtakes the welcome is dropped. It was not acknowledged, so the
  // server sends it again.
  const bool early = header.type == MessageType::reliable && state_ != ClientState::connected;
  if (early) return std::nullopt;
  acks_.receive(header.sequence);
  path_.acknowledged(header.ack, header.ack_bits, now);
  if (channel_) channel_->sender.acknowledged(header.ack, header.ack_bits);
  switch (header.type) {
    case MessageType::welcome:
      if (state_ != ClientState::greeting) break;
      if (const auto welcome = codec::decode_welcome(payload->message)) {
        welcome_ = *welcome;
        state_ = ClientState::connected;
      }
      break;
    case MessageType::goodbye:
      if (const auto goodbye = codec::decode_goodbye(payload->message))
        end(reason_of(goodbye->reason));
      break;
    case MessageType::snapshot:
    case MessageType::answer:
      if (state_ != ClientState::connected) break;
      if (unacknowledged_++ == 0) unsaid_since_ = now;
      if (unacknowledged_ >= kAckMessages) send_reliable(true, now);
      return ServerMessage{header.type, payload->message};
    case MessageType::reliable:
      if (!channel_) break;
      return on_reliable(payload->message, now);
    case MessageType::hello:
    case MessageType::input:
    case MessageType::query:
      break;
  }
  return std::nullopt;
}

// Acknowledgements wait for other data to travel with. They may not wait too long: each must cover
// everything since the one before it, even if that was lost.
std::optional<ServerMessage> ClientEndpoint::on_reliable(Bytes message, Nanoseconds now) {
  ByteReader reader(message);
  const std::uint64_t received = reader.varint();
  if (reader.ok()) channel_->receiver.receive(reader.rest());
  if (!reader.ok() || channel_->receiver.failed()) {
    end(EndReason::unsound_server);
    return std::nullopt;
  }
  // A datagram that was overtaken reports an older command.
  commands_received_.value = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(received, commands_received_.value, 0xffffffff));
  if (unacknowledged_++ == 0) unsaid_since_ = now;
  if (unacknowledged_ >= kAckDatagrams) send_reliable(true, now);
  return ServerMessage{MessageType::reliable, {}};
}

std::optional<Bytes> ClientEndpoint::next_message() {
  if (state_ != ClientState::connected) return std::nullopt;
  const auto message = channel_->receiver.next();
  if (channel_->receiver.failed()) end(EndReason::unsound_server);
  return message;
}

void ClientEndpoint::queue_reliable(SharedBytes message) {
  ORRERY_ASSERT(mode_ == codec::message::Mode::follow);
  ORRERY_ASSERT(state_ == ClientState::connected && can_queue_reliable());
  ORRERY_ASSERT(message->size() <= kBytesToServerMax);
  channel_->sender.send(std::move(message));
}

bool ClientEndpoint::send_reliable(bool even_if_none, Nanoseconds now) {
  message_.clear();
  ByteWriter(message_).varint(0);
  const std::size_t room = limits::kMessageBytesMax - message_.size();
  const bool due = channel_ && channel_->sender.append_due(room, acks_.next(), now, message_);
  if (!due && !even_if_none) return false;
  send_message(MessageType::reliable, message_, now);
  return true;
}

void ClientEndpoint::end(EndReason reason) {
  ORRERY_ASSERT(state_ != ClientState::ended);
  state_ = ClientState::ended;
  end_reason_ = reason;
}

// Packet sequences continue on the next server, because no sequence may repeat under one key.
void ClientEndpoint::next_server(EndReason reason, Nanoseconds now) {
  if (server_ + 1 == token_.servers.size()) return end(reason);
  ++server_;
  window_ = ReplayWindow{};
  last_received_ = now;
  state_ = ClientState::requesting;
  speak(now);
}

void ClientEndpoint::update(Nanoseconds now) {
  if (state_ == ClientState::ended) return;
  const bool connected = state_ == ClientState::connected;
  const bool has_slot = connected || state_ == ClientState::greeting;
  if (!has_slot && now > connect_until_) return end(EndReason::token_expired);
  if (timeout_ != 0 && now - last_received_ > timeout_) {
    return has_slot ? end(EndReason::timed_out) : next_server(EndReason::no_answer, now);
  }
  if (connected && channel_) {
    channel_->sender.update(path_, now);
    while (send_reliable(false, now)) {
    }
  }
  if (connected && unacknowledged_ > 0 && now - unsaid_since_ >= kAckInterval)
    send_reliable(true, now);
  if (now - last_sent_ >= (connected ? kKeepAliveInterval : kHandshakeInterval)) speak(now);
}

void ClientEndpoint::speak(Nanoseconds now) {
  switch (state_) {
    case ClientState::requesting:
      last_sent_ = now;
      datagram_.clear();
      encode_request(token_, datagram_);
      return environment_.send(server(), datagram_);
    case ClientState::responding:
      return send_packet(PacketType::response, challenge_, now);
    case ClientState::greeting:
      message_.clear();
      codec::encode(
          codec::message::Hello{kProtocolVersion, codec::protocol_schema_hash(), events_, mode_},
          message_);
      return send_message(MessageType::hello, message_, now);
    case ClientState::connected:
      return send_packet(PacketType::keep_alive, std::array<std::uint8_t, kKeepAliveBytes>{}, now);
    case ClientState::ended:
      break;
  }
}

void ClientEndpoint::send_input(Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  send_message(MessageType::input, message, now);
}

void ClientEndpoint::send_query(Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  send_message(MessageType::query, message, now);
}

void ClientEndpoint::disconnect(Nanoseconds now) {
  if (state_ == ClientState::ended) return;
  // A client in state responding may have a slot without knowing it yet.
  if (state_ != ClientState::requesting) {
    for (int i = 0; i < kDisconnectCopies; ++i) send_packet(PacketType::disconnect, {}, now);
  }
  end(EndReason::asked);
}

void ClientEndpoint::send_message(MessageType type, Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(kPayloadHeaderBytes + message.size() <= kPayloadBytesMax);
  PayloadHeader header{.type = type};
  acks_.stamp(header);
  path_.sent(header.sequence, now);
  unacknowledged_ = 0;
  payload_.clear();
  encode_payload_header(header, payload_);
  payload_.insert(payload_.end(), message.begin(), message.end());
  send_packet(PacketType::payload, payload_, now);
}

void ClientEndpoint::send_packet(PacketType type, Bytes text, Nanoseconds now) {
  last_sent_ = now;
  datagram_.clear();
  sealer_.seal(token_.client_to_server, type, sequence_++, text, datagram_);
  environment_.send(server(), datagram_);
}

}  // namespace orrery::net
