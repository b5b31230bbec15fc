// Encodes and decodes the messages between a server and a client that follows it.
#include "common/session/follow_messages.h"

#include "common/codec/reliable_type.h"
#include "common/codec/scene_codec.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

constexpr bool is_same(RecordType record, codec::ReliableType message) {
  return static_cast<std::uint8_t>(record) == static_cast<std::uint8_t>(message);
}
static_assert(is_same(RecordType::header, codec::ReliableType::header) &&
              is_same(RecordType::checkpoint, codec::ReliableType::checkpoint) &&
              is_same(RecordType::tick, codec::ReliableType::tick));

}  // namespace

std::vector<std::uint8_t> follow_header(const codec::LogHeader& header, const Scene& scene) {
  codec::LogHeader whole;
  whole.rules = header.rules;
  whole.build = header.build;
  whole.session = header.session;
  whole.initial_hash = header.initial_hash;
  whole.fault = header.fault;
  codec::encode_scene(scene, whole.scene);
  std::vector<std::uint8_t> payload;
  codec::encode_log_header(whole, payload);
  std::vector<std::uint8_t> out;
  out.reserve(1 + payload.size());
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(RecordType::header));
  writer.bytes(payload);
  return out;
}

Result<Scene> decode_scene_message(Bytes message) {
  const bool is_header =
      !message.empty() && message[0] == static_cast<std::uint8_t>(RecordType::header);
  if (!is_header) return Error{"sent a message in the wrong order"};
  // A copy, because a flat buffer needs aligned memory.
  const std::vector<std::uint8_t> bytes(message.begin() + 1, message.end());
  const Result<codec::LogHeader> header = codec::decode_log_header(bytes);
  if (!header) return header.error().after("sent a session that cannot be read: ");
  Result<Scene> scene = codec::decode_scene(header.value().scene);
  if (!scene) return scene.error().after("sent a scene that cannot be read: ");
  return scene;
}

std::vector<std::uint8_t> follow_image(const World& world) {
  std::vector<std::uint8_t> head;
  encode_checkpoint(world.tick(), world.hash(), head);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  std::vector<std::uint8_t> out;
  out.reserve(1 + head.size() + image.size());
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(RecordType::checkpoint));
  writer.bytes(head);
  writer.bytes(image);
  return out;
}

void follow_tick(Bytes record, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(record.size() >= sizeof(TickRecord::hash));
  ORRERY_ASSERT(record.size() <= payload_max(RecordType::tick));
  out.clear();
  out.reserve(1 + record.size());
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(RecordType::tick));
  writer.bytes(record);
}

std::vector<std::uint8_t> encode_mismatch(const Mismatch& mismatch) {
  ORRERY_ASSERT(mismatch.theirs != mismatch.ours);
  std::vector<std::uint8_t> out;
  ByteWriter writer(out);
  writer.varint(mismatch.tick.value);
  writer.u64(mismatch.theirs);
  writer.u64(mismatch.ours);
  return out;
}

std::optional<Mismatch> decode_mismatch(Bytes bytes) {
  ByteReader reader(bytes);
  Mismatch mismatch;
  mismatch.tick.value = reader.varint();
  mismatch.theirs = reader.u64();
  mismatch.ours = reader.u64();
  const bool sound = reader.ok() && reader.at_end() && mismatch.theirs != mismatch.ours;
  return sound ? std::optional(mismatch) : std::nullopt;
}

}  // namespace orrery::session
