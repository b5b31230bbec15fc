// Owns the fuzz target of datagrams: before a connection, and every message in both directions of
// one.
#include <utility>
#include <vector>

#include "common/codec/command_codec.h"
#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/codec/snapshot_codec.h"
#include "common/net/packet/fragment.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/wire.h"

namespace orrery {
namespace {

// A message that decodes comes back from its own bytes as the same bytes.
template <class Message>
void round_trip(Bytes bytes, std::optional<Message> (*decode)(Bytes)) {
  const std::optional<Message> message = decode(bytes);
  if (!message) return;
  std::vector<std::uint8_t> once;
  encode(*message, once);
  const std::optional<Message> same = decode(once);
  ORRERY_ASSERT(same);
  std::vector<std::uint8_t> twice;
  encode(*same, twice);
  ORRERY_ASSERT(once == twice);
}

void input(Bytes bytes) {
  std::vector<message::TimedCommand> commands;
  if (!decode_input(bytes, ClientId{3}, commands)) {
    ORRERY_ASSERT(commands.empty());
    return;
  }
  ORRERY_ASSERT(commands.size() <= limits::kCommandsQueuedMax);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    ORRERY_ASSERT(commands[i].command.client == ClientId{3});
    ORRERY_ASSERT(is_in_range(commands[i].command));
    ORRERY_ASSERT(i == 0 || commands[i].command.sequence > commands[i - 1].command.sequence);
  }
}

void snapshot(Bytes bytes) {
  SnapshotPart part;
  if (!decode_snapshot_part(bytes, part)) return;
  ORRERY_ASSERT(part.part < part.parts);
  ORRERY_ASSERT(part.bodies.size() <= kSnapshotPartBodies);
}

void events(Bytes bytes) {
  message::Events decoded;
  if (!decode_events(bytes, decoded)) return;
  ORRERY_ASSERT(decoded.events.size() >= 1 && decoded.events.size() <= kEventsPerMessage);
  for (const WorldEvent& event : decoded.events) {
    ORRERY_ASSERT(slot_of(event.a) < slot_of(event.b));
    ORRERY_ASSERT(event_name(event.kind) != nullptr);
  }
}

// What a client that does not follow is sent: events, each message one fragment.
void reliable(Bytes bytes) {
  ByteReader reader(bytes);
  reader.varint();
  while (reader.ok() && !reader.at_end()) {
    const std::optional<Fragment> fragment = decode_fragment(reader);
    if (!fragment) return;
    events(std::vector<std::uint8_t>(fragment->bytes.begin(), fragment->bytes.end()));
  }
}

void message(const Payload& payload) {
  switch (payload.header.type) {
    case MessageType::hello:
      return round_trip(payload.message, decode_hello);
    case MessageType::welcome:
      return round_trip(payload.message, decode_welcome);
    case MessageType::goodbye:
      return round_trip(payload.message, decode_goodbye);
    case MessageType::input:
      return input(payload.message);
    case MessageType::snapshot:
      return snapshot(payload.message);
    case MessageType::query:
      return round_trip(payload.message, decode_query);
    case MessageType::answer:
      return round_trip(payload.message, decode_answer);
    case MessageType::reliable:
      return reliable(payload.message);  // put together: fuzz_reliable.cpp
  }
}

constexpr Nanoseconds kNow = kSecond;
constexpr std::uint8_t kClient = 0;

// A server and a client that have connected.
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
    ORRERY_ASSERT(client.state() == ClientState::connected);
  }

  std::vector<std::uint8_t> sealed(const Key& key, Bytes text) const {
    std::vector<std::uint8_t> datagram;
    PacketSealer(from_client.cipher(), kDefaultProtocolId)
        .seal(key, PacketType::payload, 1000, text, datagram);
    return datagram;
  }

  fuzz::Wire from_server, from_client;
  const Address here{{}, 1}, there{{}, 2};
  ServerEndpoint server{from_server, {2, 60, 1.0 / 60, 3, "fuzz", fuzz::access_of(there)}, kNow};
  ClientEndpoint client{from_client, fuzz::token_for(from_client, fuzz::access_of(there), kClient),
                        kNow, false, message::Mode::follow};
};

// Nobody without a key is answered, and nobody's bytes end the connection of another.
void without_a_key(Bytes datagram) {
  Session session;
  session.server.receive(Address{{}, 9}, datagram, kNow);
  session.server.receive(session.here, datagram, kNow);
  session.client.receive(session.there, datagram, kNow);
  ORRERY_ASSERT(session.from_server.sent.empty() && session.server.clients() == 1);
  ORRERY_ASSERT(session.client.state() == ClientState::connected);
  const auto token = decode_connect_token(datagram);
  if (token) ORRERY_ASSERT(decode_connect_token(encode_connect_token(*token)));
}

// What the other side of a connection may say.
void with_a_key(Bytes text) {
  Session session;
  Key key{};
  key[0] = kClient;
  const ServerEvent event = session.server.receive(session.here, session.sealed(key, text), kNow);
  ORRERY_ASSERT(event.kind != ServerEvent::Kind::joined);
  key[0] = kClient + 100;
  const auto said = session.client.receive(session.there, session.sealed(key, text), kNow);
  if (event.kind == ServerEvent::Kind::reliable) {
    while (session.server.next_message(event.client)) {
    }
  }
  if (said && said->type == MessageType::reliable) {
    while (session.client.next_message()) {
    }
  }
}

void one_input(Bytes bytes) {
  // In memory of its own: aligned as a socket's buffer is, and its end is an end.
  const std::vector<std::uint8_t> datagram(bytes.begin(), bytes.end());
  without_a_key(datagram);
  if (datagram.empty() || datagram.size() > kPayloadBytesMax) return;
  with_a_key(datagram);
  if (const std::optional<Payload> payload = decode_payload(datagram)) message(*payload);
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::one_input({data, size});
  return 0;
}
