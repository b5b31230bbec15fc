// Heads of frames and acknowledgements as bytes.
#include "common/codec/delta/delta_message.h"

#include <algorithm>

namespace orrery::codec {
void encode_delta(const DeltaHead& head, Bytes bytes, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(head.part < head.parts);
  ORRERY_ASSERT(bytes.size() <= kDeltaPartBytes);
  ORRERY_ASSERT(head.baseline < head.tick);
  const std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.varint(head.tick.value);
  writer.varint(head.baseline.value == 0 ? 0 : head.tick.value - head.baseline.value);
  writer.u16(head.check);
  writer.varint(head.part);
  writer.varint(4 * std::uint64_t{head.parts} + static_cast<std::uint64_t>(head.level));
  writer.varint(head.report.input.value);
  writer.varint(head.report.margin.to_varint());
  ORRERY_ASSERT(out.size() - begin <= kDeltaHeadBytesMax);
  writer.bytes(bytes);
}

std::optional<DeltaPart> decode_delta(Bytes message) {
  ByteReader reader(message);
  DeltaPart out;
  DeltaHead& head = out.head;
  head.tick.value = reader.varint();
  const std::uint64_t distance = reader.varint();
  head.check = reader.u16();
  const std::uint64_t part = reader.varint();
  const std::uint64_t form = reader.varint();
  const std::uint64_t parts = form / 4;
  const std::uint64_t level = form % 4;
  const std::uint64_t input = reader.varint();
  head.report.margin = CommandMargin::from_varint(reader.varint());
  out.bytes = reader.rest();
  if (!reader.ok() || head.tick.value == 0 || distance >= head.tick.value) return std::nullopt;
  if (parts > kDeltaPartsMax || part >= parts || input > 0xFFFFFFFF) return std::nullopt;
  if (level > static_cast<std::uint64_t>(DeltaLevel::fast)) return std::nullopt;
  if (out.bytes.size() > kDeltaPartBytes) return std::nullopt;
  head.baseline.value = distance == 0 ? 0 : head.tick.value - distance;
  head.part = static_cast<std::uint8_t>(part);
  head.parts = static_cast<std::uint8_t>(parts);
  head.level = static_cast<DeltaLevel>(level);
  head.report.input.value = static_cast<std::uint32_t>(input);
  return out;
}

void encode_frame_ack(Tick tick, std::vector<std::uint8_t>& out) {
  ByteWriter(out).varint(tick.value);
}

std::optional<Tick> decode_frame_ack(Bytes message) {
  ByteReader reader(message);
  const Tick tick{reader.varint()};
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return tick;
}

// Looks at the newest frames first: they are acknowledged most.
KeptFrames::Frame KeptFrames::find(Tick tick) const {
  for (std::size_t i = 1; i <= frames_.size(); ++i) {
    const Frame& frame = frames_[(next_ - i) % frames_.size()];
    if (!frame || frame->frame.tick < tick) break;
    if (frame->frame.tick == tick) return frame;
  }
  return nullptr;
}

// Ends at the first frame that was forgotten, because all older ones were, too.
void KeptFrames::forget_before(Tick tick) {
  for (std::size_t i = 1; i <= frames_.size(); ++i) {
    Frame& frame = frames_[(next_ - i) % frames_.size()];
    if (!frame) break;
    if (frame->frame.tick < tick) frame = nullptr;
  }
}

}  // namespace orrery::codec
