// Owns the fuzz target of datagrams: every message of the wire, in both directions.
#include <vector>

#include "common/codec/command_codec.h"
#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/codec/snapshot_codec.h"
#include "common/net/packet.h"
#include "tests/fuzz/fuzz.h"

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

void message(const Packet& packet) {
  switch (packet.header.type) {
    case PacketType::connect_request:
      return round_trip(packet.message, decode_connect_request);
    case PacketType::challenge:
      return round_trip(packet.message, decode_challenge);
    case PacketType::response:
      return round_trip(packet.message, decode_response);
    case PacketType::accept:
      return round_trip(packet.message, decode_accept);
    case PacketType::deny:
      return round_trip(packet.message, decode_deny);
    case PacketType::disconnect:
      return round_trip(packet.message, decode_disconnect);
    case PacketType::input:
      return input(packet.message);
    case PacketType::snapshot:
      return snapshot(packet.message);
    case PacketType::events:
      return events(packet.message);
    case PacketType::query:
      return round_trip(packet.message, decode_query);
    case PacketType::answer:
      return round_trip(packet.message, decode_answer);
    case PacketType::keep_alive:
      return;
  }
}

void one_input(Bytes bytes) {
  // In memory of its own: aligned as a socket's buffer is, and its end is an end.
  const std::vector<std::uint8_t> datagram(bytes.begin(), bytes.end());
  if (const std::optional<Packet> packet = decode_packet(datagram)) message(*packet);
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::one_input({data, size});
  return 0;
}
