// Converts messages between FlatBuffers tables and our own types.
#include "common/codec/message_codec.h"

#include <algorithm>

#include "common/codec/command_codec.h"
#include "common/codec/flatbuffers_message.h"
#include "common/math/range.h"
#include "schema/protocol_generated.h"
#include "schema/protocol_hash.h"

namespace orrery::codec {
namespace {

// Maximum size of the packed commands and their ticks in an input message, in bytes. The rest of
// the datagram has room for the packet header and the FlatBuffers table.
constexpr std::size_t kInputBytesMax = 1100;

// Maximum size of a packed command and the varint of its tick, in bytes.
constexpr std::size_t kTimedCommandBytesMax = kCommandBytesMax + 10;
static_assert(kTimedCommandBytesMax <= kInputBytesMax);  // a message has room for one command
static_assert(kInputBytesMax <= limits::kMessageBytesMax);
static_assert(kInputBytesMax < MessageMemory::kBytes);

// Returns the enumerator with this value, or nothing if this build does not know it.
template <class Enum>
std::optional<Enum> known(auto value, Enum last) {
  if (static_cast<std::uint8_t>(value) > static_cast<std::uint8_t>(last)) return std::nullopt;
  return static_cast<Enum>(value);
}

bool printable(char c) { return c >= 0x20 && c <= 0x7e; }

// Returns the numbers of frames in a welcome, or nothing if they are out of range.
std::optional<DeltaScene> decode_frames(const wire::Welcome& m) {
  const DeltaScene frames{
      .grid = {.position_step = m.position_step(), .orientation_bits = m.orientation_bits()},
      .gravity = {m.gravity()->x(), m.gravity()->y(), m.gravity()->z()},
      .slots = m.slots(),
      .prototypes = m.scene_bodies()};
  const bool sound = frames.grid.position_step > 0 &&
                     frames.grid.position_step <= limits::kLengthMax &&
                     frames.grid.orientation_bits >= kOrientationBitsMin &&
                     frames.grid.orientation_bits <= kOrientationBitsMax &&
                     within(frames.gravity, kGridPositionMax) && frames.slots <= limits::kBodiesMax;
  if (!sound) return std::nullopt;
  return frames;
}

}  // namespace

std::uint64_t protocol_schema_hash() { return kProtocolSchemaHash; }

void encode(const message::Hello& m, std::vector<std::uint8_t>& out) {
  MessageBuilder builder;
  const auto mode = static_cast<wire::Mode>(m.mode);
  builder.finish(wire::CreateHello(*builder, m.protocol, m.schema, m.events, mode), out);
}

void encode(const message::Welcome& m, std::vector<std::uint8_t>& out) {
  MessageBuilder builder;
  ORRERY_ASSERT(m.scene.size() <= limits::kNameBytesMax);
  const auto scene = (*builder).CreateString(m.scene);
  const DeltaScene& frames = m.frames;
  const wire::Vec3 gravity(frames.gravity.x, frames.gravity.y, frames.gravity.z);
  builder.finish(
      wire::CreateWelcome(*builder, m.client.value, static_cast<wire::Role>(m.role), m.tick_rate,
                          m.tick_time, m.scene_bodies, scene, m.scene_bytes, m.epoch, m.account,
                          m.interest_radius, frames.grid.position_step,
                          static_cast<std::uint8_t>(frames.grid.orientation_bits), &gravity,
                          frames.slots),
      out);
}

void encode(const message::Goodbye& m, std::vector<std::uint8_t>& out) {
  MessageBuilder builder;
  ORRERY_ASSERT(static_cast<std::size_t>(m.reason) < kGoodbyeReasons);
  const auto reason = static_cast<wire::DisconnectReason>(m.reason);
  const Bytes text = m.text.view();
  const auto bytes = text.empty() ? 0 : (*builder).CreateVector(text.data(), text.size());
  builder.finish(wire::CreateGoodbye(*builder, reason, bytes), out);
}

std::size_t encode_input(std::span<const message::TimedCommand> commands,
                         std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!commands.empty());
  std::vector<std::uint8_t> packed;
  packed.reserve(kInputBytesMax + kTimedCommandBytesMax);
  ByteWriter writer(packed);
  std::size_t count = 0;
  CommandSource before;
  for (const message::TimedCommand& c : commands) {
    const std::size_t size = packed.size();
    writer.varint(c.tick.value);
    encode_command(c.command, before, writer);
    if (packed.size() > kInputBytesMax || count == limits::kCommandsQueuedMax) {
      packed.resize(size);
      break;
    }
    ++count;
  }
  MessageBuilder builder;
  const auto bytes = (*builder).CreateVector(packed);
  builder.finish(wire::CreateInput(*builder, bytes), out);
  return count;
}

std::optional<message::Hello> decode_hello(Bytes bytes) {
  const auto* const m = verified<wire::Hello>(bytes);
  if (!m) return std::nullopt;
  const auto mode = known(m->mode(), message::Mode::delta);
  if (!mode) return std::nullopt;
  return message::Hello{m->protocol(), m->schema(), m->events(), *mode};
}

std::optional<message::Welcome> decode_welcome(Bytes bytes) {
  const auto* const m = verified<wire::Welcome>(bytes);
  if (!m) return std::nullopt;
  const std::string scene = m->scene()->str();
  const bool name_sound =
      scene.size() <= limits::kNameBytesMax && std::all_of(scene.begin(), scene.end(), printable);
  const bool rate_sound = m->tick_rate() >= 1 && m->tick_rate() <= limits::kTickRateMax;
  const bool time_sound =
      m->tick_time() >= limits::kTickTimeMin && m->tick_time() <= limits::kTickTimeMax;
  const bool client_sound = m->client() >= 1 && m->client() <= limits::kClientsMax;
  const auto role = known(m->role(), Role::admin);
  if (!name_sound || !rate_sound || !time_sound || !client_sound || !role) return std::nullopt;
  if (m->scene_bodies() > limits::kBodiesMax) return std::nullopt;
  const auto frames = decode_frames(*m);
  if (!frames || !(m->interest_radius() >= 0)) return std::nullopt;
  return message::Welcome{.client = ClientId{m->client()},
                          .role = *role,
                          .tick_rate = m->tick_rate(),
                          .tick_time = m->tick_time(),
                          .scene_bodies = m->scene_bodies(),
                          .scene = scene,
                          .scene_bytes = m->scene_bytes(),
                          .epoch = m->epoch(),
                          .account = m->account(),
                          .interest_radius = m->interest_radius(),
                          .frames = *frames};
}

std::optional<message::Goodbye> decode_goodbye(Bytes bytes) {
  const auto* const m = verified<wire::Goodbye>(bytes);
  if (!m) return std::nullopt;
  const auto reason = known(m->reason(), static_cast<EndReason>(kGoodbyeReasons - 1));
  if (!reason) return std::nullopt;
  if (!m->text()) return message::Goodbye{*reason};
  const Bytes text(m->text()->data(), m->text()->size());
  if (text.size() > command::Reason::kBytesMax) return std::nullopt;
  return message::Goodbye{*reason, command::Reason(text)};
}

bool decode_input(Bytes bytes, ClientId sender, std::vector<message::TimedCommand>& out) {
  out.clear();
  const auto* const m = verified<wire::Input>(bytes);
  if (!m || m->commands()->size() == 0) return false;
  ByteReader reader({m->commands()->data(), m->commands()->size()});
  CommandSource before;
  while (!reader.at_end()) {
    const Tick tick{reader.varint()};
    auto command = decode_unchecked_command(reader, before);
    const bool sound = reader.ok() && command && command->client == sender &&
                       command->sequence.value != 0 && out.size() < limits::kCommandsQueuedMax;
    const bool follows =
        sound && (out.empty() || command->sequence.value == out.back().command.sequence.value + 1);
    if (!follows) {
      out.clear();
      return false;
    }
    const bool malformed = !is_in_range(*command);
    if (malformed) command->payload = command::Release{};
    out.push_back({tick, *command, malformed});
  }
  return true;
}

}  // namespace orrery::codec
