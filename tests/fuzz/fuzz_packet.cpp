// Fuzzes datagrams without a valid seal, and all messages in both directions of a connection.
#include <algorithm>
#include <utility>
#include <vector>

#include "common/codec/command_codec.h"
#include "common/codec/delta/delta_message.h"
#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/codec/refusal_codec.h"
#include "common/codec/snapshot_codec.h"
#include "common/net/packet/fragment.h"
#include "common/net/packet/ticket.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/wire.h"

namespace orrery {
namespace {

// Checks that a decoded message, encoded and decoded again, has the same bytes.
template <class Message>
void round_trip(Bytes bytes, std::optional<Message> (*decode)(Bytes)) {
  const std::optional<Message> message = decode(bytes);
  if (!message) return;
  std::vector<std::uint8_t> once;
  codec::encode(*message, once);
  const std::optional<Message> same = decode(once);
  ORRERY_ASSERT(same);
  std::vector<std::uint8_t> twice;
  codec::encode(*same, twice);
  ORRERY_ASSERT(once == twice);
}

void input(Bytes bytes) {
  std::vector<codec::message::TimedCommand> commands;
  if (!codec::decode_input(bytes, ClientId{3}, commands)) {
    ORRERY_ASSERT(commands.empty());
    return;
  }
  ORRERY_ASSERT(commands.size() <= limits::kCommandsQueuedMax);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    ORRERY_ASSERT(commands[i].command.client == ClientId{3});
    ORRERY_ASSERT(codec::is_in_range(commands[i].command));  // a malformed one too
    ORRERY_ASSERT(i == 0 || commands[i].command.sequence > commands[i - 1].command.sequence);
  }
}

void snapshot(Bytes bytes) {
  codec::SnapshotPart part;
  if (!codec::decode_snapshot_part(bytes, part)) return;
  ORRERY_ASSERT(part.part < part.parts);
  ORRERY_ASSERT(part.bodies.size() <= codec::kSnapshotPartBodies);
}

void events(Bytes bytes) {
  codec::message::Events decoded;
  if (!codec::decode_events(bytes, decoded)) return;
  ORRERY_ASSERT(decoded.events.size() >= 1 && decoded.events.size() <= codec::kEventsPerMessage);
  for (const WorldEvent& event : decoded.events) {
    ORRERY_ASSERT(slot_of(event.a) < slot_of(event.b));
    ORRERY_ASSERT(event_name(event.kind) != nullptr);
  }
}

void refusals(Bytes bytes) {
  const auto decoded = codec::decode_refusals(bytes);
  if (!decoded) return;
  std::vector<std::uint8_t> again;
  codec::encode_refusals(decoded->first, decoded->refusals, again);
  ORRERY_ASSERT(std::ranges::equal(again, bytes));
}

// Decodes the small reliable messages to a client: events and refusals, one fragment each.
void reliable(Bytes bytes) {
  ByteReader reader(bytes);
  reader.varint();  // the report about the client's commands
  reader.varint();
  while (reader.ok() && !reader.at_end()) {
    const std::optional<net::Fragment> fragment = net::decode_fragment(reader);
    if (!fragment) return;
    const std::vector<std::uint8_t> message(fragment->bytes.begin(), fragment->bytes.end());
    events(message);
    refusals(message);
  }
}

void delta(Bytes message) {
  const auto part = codec::decode_delta(message);
  if (!part) return;
  ORRERY_ASSERT(part->head.part < part->head.parts);
  ORRERY_ASSERT(part->head.baseline < part->head.tick);
  ORRERY_ASSERT(part->bytes.size() <= codec::kDeltaPartBytes);
}

void frame_ack(Bytes message) {
  const std::optional<Tick> tick = codec::decode_frame_ack(message);
  if (!tick) return;
  std::vector<std::uint8_t> same;
  codec::encode_frame_ack(*tick, same);
  ORRERY_ASSERT(std::ranges::equal(same, message));
}

void ticket(Bytes message) {
  const auto ticket = net::decode_ticket(message, net::ConnectToken{}, net::Address{{}, 2});
  if (!ticket) return;
  ORRERY_ASSERT(ticket->created <= ticket->head.expires);
  std::vector<std::uint8_t> same;
  net::encode_ticket(*ticket, same);
  ORRERY_ASSERT(std::equal(same.begin(), same.end(), message.begin(), message.end()));
}

void message(const net::Payload& payload) {
  switch (payload.header.type) {
    case net::MessageType::hello:
      return round_trip(payload.message, codec::decode_hello);
    case net::MessageType::welcome:
      return round_trip(payload.message, codec::decode_welcome);
    case net::MessageType::goodbye:
      return round_trip(payload.message, codec::decode_goodbye);
    case net::MessageType::input:
      return input(payload.message);
    case net::MessageType::snapshot:
      return snapshot(payload.message);
    case net::MessageType::query:
      return round_trip(payload.message, codec::decode_query);
    case net::MessageType::answer:
      return round_trip(payload.message, codec::decode_answer);
    case net::MessageType::reliable:
      return reliable(payload.message);  // reassembly is tested in fuzz_reliable.cpp
    case net::MessageType::delta:
      return delta(payload.message);  // frames are decoded in fuzz_delta.cpp
    case net::MessageType::frame_ack:
      return frame_ack(payload.message);
    case net::MessageType::ticket:
      return ticket(payload.message);
  }
}

constexpr net::Nanoseconds kNow = net::kSecond;
constexpr std::uint8_t kClient = 0;

// A connected server and client.
struct Session {
  Session() {
    for (int i = 0; i < 3; ++i) {
      for (const auto& [to, datagram] : std::exchange(from_client.sent, {})) {
        server.receive(here, datagram, kNow);
      }
      for (const auto& [to, datagram] : std::exchange(from_server.sent, {})) {
        client.receive(there, datagram, kNow);
      }
    }
    ORRERY_ASSERT(client.state() == net::ClientState::connected);
  }

  std::vector<std::uint8_t> sealed(const net::Key& key, Bytes text) const {
    std::vector<std::uint8_t> datagram;
    net::PacketSealer(from_client.cipher(), net::kDefaultProtocolId)
        .seal(key, net::PacketType::payload, 1000, text, datagram);
    return datagram;
  }

  fuzz::Wire from_server, from_client;
  const net::Address here{{}, 1}, there{{}, 2};
  net::ServerEndpoint server{
      from_server, {2, 60, 1.0 / 60, 3, "fuzz", fuzz::access_of(there)}, kNow};
  net::ClientEndpoint client{from_client,
                             fuzz::token_for(from_client, fuzz::access_of(there), kClient), kNow,
                             false, codec::message::Mode::follow};
};

// Checks that bytes without a key get no answer and end no connection.
void without_a_key(Bytes datagram) {
  Session session;
  session.server.receive(net::Address{{}, 9}, datagram, kNow);
  session.server.receive(session.here, datagram, kNow);
  session.client.receive(session.there, datagram, kNow);
  ORRERY_ASSERT(session.from_server.sent.empty() && session.server.peers().count() == 1);
  ORRERY_ASSERT(session.client.state() == net::ClientState::connected);
  const auto token = net::decode_connect_token(datagram);
  if (token) ORRERY_ASSERT(net::decode_connect_token(net::encode_connect_token(*token)));
}

// Delivers the text to the server, and to the client, as a sealed payload of a malicious peer.
void with_a_key(Bytes text) {
  Session session;
  net::Key key{};
  key[0] = kClient;
  const net::ServerEvent event =
      session.server.receive(session.here, session.sealed(key, text), kNow);
  ORRERY_ASSERT(event.kind != net::ServerEvent::Kind::joined);
  key[0] = kClient + 100;
  const auto said = session.client.receive(session.there, session.sealed(key, text), kNow);
  if (event.kind == net::ServerEvent::Kind::reliable) {
    while (session.server.next_message(event.client)) {
    }
  }
  if (said && said->type == net::MessageType::reliable) {
    while (session.client.next_message()) {
    }
  }
}

void one_input(Bytes bytes) {
  // Copy the input, so that it is aligned like a socket's buffer and sanitizers see its end.
  const std::vector<std::uint8_t> datagram(bytes.begin(), bytes.end());
  without_a_key(datagram);
  if (datagram.empty() || datagram.size() > net::kPayloadBytesMax) return;
  with_a_key(datagram);
  if (const std::optional<net::Payload> payload = net::decode_payload(datagram)) message(*payload);
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::one_input({data, size});
  return 0;
}
