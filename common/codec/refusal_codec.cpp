// Encodes and decodes messages about refused commands.
#include "common/codec/refusal_codec.h"

#include <limits>

#include "common/codec/reliable_type.h"

namespace orrery::codec {
namespace {

bool is_reason(std::uint8_t number) {
  return number < kVerdicts && is_refusal(static_cast<Verdict>(number));
}

}  // namespace

void encode_refusals(std::uint64_t first, std::span<const message::Refusal> refusals,
                     std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!refusals.empty() && refusals.size() <= kRefusalsPerMessage);
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(ReliableType::refusals));
  writer.varint(first);
  for (const message::Refusal& refusal : refusals) {
    ORRERY_ASSERT(is_refusal(refusal.reason));
    writer.varint(refusal.tick.value);
    writer.varint(refusal.sequence.value);
    writer.u8(static_cast<std::uint8_t>(refusal.reason));
  }
}

std::optional<message::Refusals> decode_refusals(Bytes bytes) {
  ByteReader reader(bytes);
  const std::uint8_t type = reader.u8();
  message::Refusals out;
  out.first = reader.varint();
  if (!reader.ok() || type != static_cast<std::uint8_t>(ReliableType::refusals)) return {};
  while (!reader.at_end() && out.refusals.size() < kRefusalsPerMessage) {
    const Tick tick{reader.varint()};
    const std::uint64_t sequence = reader.varint();
    const std::uint8_t reason = reader.u8();
    const bool sound = reader.ok() && sequence != 0 &&
                       sequence <= std::numeric_limits<std::uint32_t>::max() && is_reason(reason);
    if (!sound) return {};
    out.refusals.push_back(
        {tick, Sequence{static_cast<std::uint32_t>(sequence)}, static_cast<Verdict>(reason)});
  }
  if (!reader.at_end() || out.refusals.empty()) return {};
  return out;
}

}  // namespace orrery::codec
