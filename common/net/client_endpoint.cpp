// Implements the client's side of a connection: handshake, timeouts, acknowledgements.
#include "common/net/client_endpoint.h"

#include <algorithm>

#include "common/net/denial.h"
#include "common/net/packet/ticket.h"
#include "common/net/timing.h"

namespace orrery::net {
namespace {

// Returns true if the server has given this client a slot, as far as the client knows.
bool has_slot(ClientState state) {
  return state == ClientState::greeting || state == ClientState::connected;
}

const Address& first_server(const ConnectToken& token) {
  ORRERY_ASSERT(token.servers.size() >= 1);
  return token.servers.span().front();
}

// Returns a random first packet sequence. An earlier endpoint may have used the same token, perhaps
// in another process, and no sequence may repeat under its keys.
std::uint64_t first_sequence(NetEnvironment& environment) {
  static_assert(PacketSequences::kEnd / 2 == std::uint64_t{1} << 62);
  return environment.random() >> 2;
}

}  // namespace

ClientEndpoint::ClientEndpoint(NetEnvironment& environment, const ConnectToken& token,
                               Nanoseconds now, bool events, codec::message::Mode mode)
    : token_(token),
      hello_{kProtocolVersion, codec::protocol_schema_hash(), events, mode},
      sealer_(environment.cipher(), token.head.protocol_id),
      link_(first_server(token),
            {.receive = token.server_to_client, .send = token.client_to_server},
            PacketSequences(first_sequence(environment)), now),
      out_(environment, sealer_, kPiecesMax),
      routes_(token_, environment, now) {
  ORRERY_ASSERT(token_.created <= token_.head.expires);
  const bool follows = mode == codec::message::Mode::follow;
  link_.enable(follows ? ReliableChannel::follow_client() : ReliableChannel::plain_client());
  message_.reserve(kPayloadBytesMax);
  speak(now);
}

std::optional<ServerMessage> ClientEndpoint::receive(const Address& from, Bytes datagram,
                                                     Nanoseconds now, std::uint32_t route) {
  const bool from_other = routes_.is_from(from, route);
  if (state_ == ClientState::ended || (from != server() && !from_other)) return std::nullopt;
  const auto prefix = decode_prefix(datagram);
  if (!prefix || prefix->type == PacketType::response) return std::nullopt;
  const auto opened = link_.open(sealer_, *prefix, datagram, text_);
  const Bytes* const text = std::get_if<Bytes>(&opened);
  if (!text) return std::nullopt;
  switch (prefix->type) {
    case PacketType::challenge:
      if (from_other) routes_.take_challenge(*text, now);
      // A copy of an earlier request brings a challenge for the socket that sent it.
      if (state_ != ClientState::requesting || !routes_.is_own(route)) break;
      routes_.keep_challenge(*text);
      enter(ClientState::responding, now);
      break;
    case PacketType::denied: {
      const auto denial = decode_denial(*text);
      if (!denial) break;
      if (denial->reason == EndReason::forgotten) {
        if (from_other && !routes_.take_denial(link_, denial->server, now)) {
          end(EndReason::forgotten);
        }
        break;
      }
      if (has_slot(state_)) break;
      if (ends_attempt(denial->reason, state_)) {
        next_server(denial->reason, now);
      } else if (state_ == ClientState::requesting) {
        end_reason_ = denial->reason;
      }
      break;
    }
    case PacketType::keep_alive:
      routes_.settle(link_, from_other);
      if (has_slot(state_)) link_.hear(now);
      if (state_ == ClientState::responding) enter(ClientState::greeting, now);  // got a slot
      break;
    case PacketType::payload:
      if (!has_slot(state_)) break;
      routes_.settle(link_, from_other);
      link_.hear(now);
      return on_payload(*text, now);
    case PacketType::piece: {
      if (!has_slot(state_)) break;
      routes_.settle(link_, from_other);
      link_.hear(now);
      const auto piece = decode_piece(prefix->sequence, *text);
      if (!piece) break;
      heard_.narrowed = heard_.narrowed || piece->drops_larger;
      const auto whole = heard_.pieces.take(*piece);
      return whole ? on_payload(*whole, now) : std::nullopt;
    }
    case PacketType::disconnect:
      if (has_slot(state_)) end(EndReason::server_stopped);
      break;
    case PacketType::request:
    case PacketType::response:
    case PacketType::move:
    case PacketType::moved:
      break;
  }
  return std::nullopt;
}

std::optional<ServerMessage> ClientEndpoint::on_payload(Bytes text, Nanoseconds now) {
  ORRERY_ASSERT(has_slot(state_));
  const auto payload = decode_payload(text);
  if (!payload) return std::nullopt;
  const MessageType type = payload->header.type;
  const bool connected = state_ == ClientState::connected;
  // A reliable message that overtakes the welcome is dropped. It is never acknowledged, so the
  // server sends its fragments again.
  if (type == MessageType::reliable && !connected) return std::nullopt;
  if (!link_.record(payload->header, now)) {
    end(EndReason::unsound_server);
    return std::nullopt;
  }
  switch (type) {
    case MessageType::welcome:
      if (state_ != ClientState::greeting) break;
      if (const auto welcome = codec::decode_welcome(payload->message)) {
        heard_.welcome = *welcome;
        state_ = ClientState::connected;
      }
      break;
    case MessageType::goodbye:
      if (const auto goodbye = codec::decode_goodbye(payload->message)) {
        // No server says `asked`, which means that this client ended the connection.
        const bool asked = goodbye->reason == EndReason::asked;
        heard_.goodbye = goodbye->text;
        end(asked ? EndReason::server_stopped : goodbye->reason);
      }
      break;
    case MessageType::snapshot:
    case MessageType::delta:
    case MessageType::answer:
      if (!connected) break;
      link_.acks().owe(now);
      if (link_.acks().owed() >= kAckMessages) send_reliable(true, now);
      return ServerMessage{type, payload->message};
    case MessageType::reliable:
      return on_reliable(payload->message, now);
    case MessageType::ticket:
      if (!connected) break;
      link_.acks().owe(now);
      if (const auto ticket = decode_ticket(payload->message, token_, server())) {
        heard_.tickets.add({*ticket, now + life_of(*ticket)});
      }
      break;
    case MessageType::hello:
    case MessageType::input:
    case MessageType::query:
    case MessageType::frame_ack:
      break;
  }
  return std::nullopt;
}

// Handles a message of type reliable. Its acknowledgement waits for the next outgoing message, but
// at most until kAckDatagrams datagrams have arrived or kAckInterval has passed. A header
// acknowledges 33 datagrams, so the loss of one header is harmless.
std::optional<ServerMessage> ClientEndpoint::on_reliable(Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  ByteReader reader(message);
  const std::uint64_t received = reader.varint();
  const auto margin = codec::CommandMargin::from_varint(reader.varint());
  if (reader.ok()) link_.receiver().receive(reader.rest());
  if (!reader.ok() || link_.receiver().failed()) {
    end(EndReason::unsound_server);
    return std::nullopt;
  }
  // A datagram that arrives after a newer one reports the number of an older command. The larger
  // number is kept.
  heard_.report.input.value = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(received, heard_.report.input.value, 0xffffffff));
  heard_.report.margin.add(margin);
  link_.acks().owe(now);
  if (link_.acks().owed() >= kAckDatagrams) send_reliable(true, now);
  return ServerMessage{MessageType::reliable, {}};
}

std::optional<Bytes> ClientEndpoint::next_message() {
  if (state_ != ClientState::connected) return std::nullopt;
  const auto message = link_.receiver().next();
  if (link_.receiver().failed()) end(EndReason::unsound_server);
  return message;
}

void ClientEndpoint::queue_reliable(SharedBytes message) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  ORRERY_ASSERT(hello_.mode == codec::message::Mode::follow);
  ORRERY_ASSERT(message && message->size() <= kBytesToServerMax);
  link_.sender().send(std::move(message));
}

bool ClientEndpoint::send_reliable(bool even_if_none, Nanoseconds now) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  // Only a server reports about commands. The report of a client is empty.
  const bool due = link_.write_reliable({}, now, message_);
  if (!due && !even_if_none) return false;
  send(MessageType::reliable, message_, now);
  return true;
}

void ClientEndpoint::enter(ClientState state, Nanoseconds now) {
  ORRERY_ASSERT(state != ClientState::connected && state != ClientState::ended);
  link_.hear(now);
  state_ = state;
  end_reason_ = EndReason::no_answer;
  speak(now);
}

void ClientEndpoint::end(EndReason reason) {
  ORRERY_ASSERT(state_ != ClientState::ended && reason != EndReason::none);
  state_ = ClientState::ended;
  end_reason_ = reason;
}

void ClientEndpoint::next_server(EndReason reason, Nanoseconds now) {
  ORRERY_ASSERT(!has_slot(state_));
  ORRERY_ASSERT(reason != EndReason::none);
  if (!routes_.exclude(now)) return end(reason);
  link_.move_to(routes_.server());
  enter(ClientState::requesting, now);
}

void ClientEndpoint::update(Nanoseconds now, bool commands_wait) {
  if (state_ == ClientState::ended) return;
  routes_.use();
  if (!has_slot(state_) && routes_.has_expired(now)) {
    const bool unanswered = end_reason_ == EndReason::no_answer;
    return end(unanswered ? EndReason::token_expired : end_reason_);
  }
  Nanoseconds timeout = timeout_of(token_);
  if (timeout != 0 && commands_wait) timeout = std::max(timeout, kCommandsWaitMax);
  if (state_ == ClientState::requesting) {
    if (routes_.has_tried_all(now)) return end(end_reason_);
    if (routes_.wants_next(now)) {
      routes_.next(now);
      link_.move_to(routes_.server());
      return speak(now);
    }
  } else if (timeout != 0 && link_.silence(now) > timeout) {
    return has_slot(state_) ? end(EndReason::silent) : next_server(end_reason_, now);
  }
  const bool connected = state_ == ClientState::connected;
  if (connected) {
    if (link_.silence(now) > kReturnAfter || routes_.is_looking()) {
      routes_.look(link_, heard_.welcome.client.value - 1, sealer_, out_, now);
    }
    link_.update(now);
    while (send_reliable(false, now)) {
    }
  }
  const bool probes = connected && link_.path().datagrams().wants_small(now);
  const bool acks = connected && link_.acks().delay(now) >= kAckInterval;
  if (probes || acks) send_reliable(true, now);
  if (link_.quiet(now) >= (connected ? kKeepAliveInterval : kHandshakeInterval)) speak(now);
}

void ClientEndpoint::speak(Nanoseconds now) {
  switch (state_) {
    case ClientState::requesting:
      routes_.use();
      link_.note_sent(now);
      return out_.send(server(), [&](auto& datagram) { encode_request(token_, datagram); });
    case ClientState::responding:
      out_.append(link_, PacketType::response, routes_.challenge(), now);
      break;
    case ClientState::greeting:
      message_.clear();
      codec::encode(hello_, message_);
      out_.append(link_, MessageType::hello, message_, now);
      break;
    case ClientState::connected: {
      constexpr std::array<std::uint8_t, kKeepAliveBytes> kNothing{};
      out_.append(link_, PacketType::keep_alive, kNothing, now);
      break;
    }
    case ClientState::ended:
      return;
  }
  out_.flush();
}

void ClientEndpoint::send(MessageType type, Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(state_ == ClientState::connected);
  ORRERY_ASSERT(type == MessageType::input || type == MessageType::query ||
                type == MessageType::frame_ack || type == MessageType::reliable);
  out_.append(link_, type, message, now);
  out_.flush();
}

void ClientEndpoint::disconnect(Nanoseconds now) {
  if (state_ == ClientState::ended) return;
  // A client in state responding may have a slot without knowing it yet. It sends a disconnect too,
  // so that the server frees the slot.
  if (state_ != ClientState::requesting) {
    routes_.use();
    for (int i = 0; i < kDisconnectCopies; ++i) {
      out_.append(link_, PacketType::disconnect, Bytes(), now);
      out_.flush();
    }
  }
  end(EndReason::asked);
}

}  // namespace orrery::net
