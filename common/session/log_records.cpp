// Encodes and decodes the payloads of log records, except the header.
#include "common/session/log_records.h"

#include <algorithm>

#include "common/codec/command_codec.h"
#include "common/world/image/image.h"

namespace orrery::session {

static_assert(kEndPayloadBytes == sizeof(Tick::value));
static_assert(16 * kIndexedMax + 8 <= payload_max(RecordType::index));
static_assert(std::tuple_size_v<LogSeal> <= payload_max(RecordType::seal));

bool decode_tick(Bytes payload, TickRecord& record, RecordType type, std::size_t* examined) {
  ORRERY_ASSERT(is_tick(type));
  ByteReader in(payload);
  record.hash = in.u64();
  record.commands.clear();
  bool sensible = true;
  codec::CommandSource before;
  while (sensible && in.ok() && !in.at_end()) {
    const std::optional<Command> command = type == RecordType::tick
                                               ? codec::decode_command(in, before)
                                               : codec::decode_old_command(in);
    sensible = command && record.commands.size() < limits::kCommandsPerTickMax &&
               (record.commands.empty() || !comes_before(*command, record.commands.back()));
    if (sensible) record.commands.push_back(*command);
  }
  if (examined) *examined = in.offset();
  return sensible && in.ok();
}

void encode_tick(std::uint64_t hash, std::span<const Command> commands, ByteWriter& out) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  out.u64(hash);
  codec::CommandSource before;
  for (const Command& command : commands) codec::encode_command(command, before, out);
}

void encode_checkpoint(Tick tick, std::uint64_t hash, std::vector<std::uint8_t>& out) {
  out.clear();
  ByteWriter writer(out);
  writer.varint(tick.value);
  writer.u64(hash);
}

std::optional<Checkpoint> decode_checkpoint(Bytes payload) {
  ByteReader in(payload);
  Checkpoint checkpoint;
  checkpoint.tick.value = in.varint();
  checkpoint.hash = in.u64();
  checkpoint.image = in.rest();
  if (!in.ok() || !begins_as_image(checkpoint.image)) return {};
  return checkpoint;
}

void add_to_index(std::vector<CheckpointEntry>& places, const CheckpointEntry& place) {
  ORRERY_ASSERT(places.empty() || place.offset > places.back().offset);
  const bool is_new = places.empty() || place.tick > places.back().tick;
  if (is_new && places.size() < kIndexedMax) places.push_back(place);
}

void encode_index(std::span<const CheckpointEntry> places, std::uint64_t offset,
                  std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(places.size() <= kIndexedMax);
  out.clear();
  ByteWriter writer(out);
  for (const CheckpointEntry& place : places) {
    writer.u64(place.tick.value);
    writer.u64(place.offset);
  }
  writer.u64(offset);
}

bool decode_index(Bytes payload, std::vector<CheckpointEntry>& places) {
  places.clear();
  if (payload.size() % 16 != 8) return false;
  ByteReader in(payload);
  while (in.remaining() > 8) {
    const Tick tick{in.u64()};
    const std::uint64_t offset = in.u64();
    if (!places.empty() && (tick <= places.back().tick || offset <= places.back().offset)) {
      return false;
    }
    places.push_back({tick, offset});
  }
  return places.empty() || places.back().offset < in.u64();
}

void encode_end(Tick last, std::vector<std::uint8_t>& out) {
  out.clear();
  ByteWriter(out).u64(last.value);
}

std::optional<Tick> decode_end(Bytes payload) {
  if (payload.size() != kEndPayloadBytes) return {};
  return Tick{ByteReader(payload).u64()};
}

void encode_removed(const RemovedRecords& removed, std::vector<std::uint8_t>& out) {
  out.clear();
  ByteWriter writer(out);
  writer.u64(removed.last.value);
  writer.u64(removed.checksum);
}

std::optional<RemovedRecords> decode_removed(Bytes payload) {
  if (payload.size() != kRemovedPayloadBytes) return {};
  ByteReader in(payload);
  const Tick last{in.u64()};
  return RemovedRecords{last, in.u64()};
}

std::optional<LogSeal> decode_seal(Bytes payload) {
  LogSeal seal;
  if (payload.size() != seal.size()) return {};
  std::copy(payload.begin(), payload.end(), seal.begin());
  return seal;
}

}  // namespace orrery::session
